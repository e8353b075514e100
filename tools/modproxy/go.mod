// Modproxy is a module of its own, so that what it depends on is no dependency of the
// binding's users.
module github.com/go-zmq/go-zmq/tools/modproxy

go 1.26.0

require golang.org/x/mod v0.41.0
