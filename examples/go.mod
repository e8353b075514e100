// The examples have a module of their own, so that what they depend on is no
// dependency of the binding's users. The root module comes from go.work, as for
// cmd/zbench, whose go.mod says why.
module github.com/go-zmq/go-zmq/examples

go 1.25

require (
	github.com/stretchr/testify v1.12.1
	github.com/vmihailenco/msgpack/v5 v5.4.1
	golang.org/x/sync v0.19.0
)

require (
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
