// The command has a module of its own, so that what it depends on is no dependency of the
// binding's users. It does not depend on the binding.
module github.com/go-zmq/go-zmq/cmd/zvendor

go 1.25.0

require (
	github.com/spf13/pflag v1.0.9
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
