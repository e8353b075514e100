// The tests of zmq/follow with a DNS server have a module of their own, so that the server
// is no dependency of the root module. That comes from go.work, as for cmd/zbench, whose
// go.mod says why.
module github.com/go-zmq/go-zmq/test/follow

go 1.25.0

require (
	github.com/miekg/dns v1.1.73
	github.com/stretchr/testify v1.12.1
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/net v0.57.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
