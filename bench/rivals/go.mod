// The rival bindings have a module of their own, so that what they depend on is no
// dependency of the binding's users. The root module comes from go.work, as for
// cmd/zbench, whose go.mod says why.
module github.com/go-zmq/go-zmq/bench/rivals

go 1.26.0

require (
	github.com/go-zeromq/zmq4 v0.17.0
	github.com/pebbe/zmq4 v1.4.0
	github.com/stretchr/testify v1.12.1
	github.com/zeromq/goczmq v4.1.0+incompatible
	go.uber.org/goleak v1.3.0
)

require (
	github.com/go-zeromq/goczmq/v4 v4.2.2 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.7.0 // indirect
	golang.org/x/text v0.15.0 // indirect
)
