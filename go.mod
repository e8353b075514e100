module github.com/go-zmq/go-zmq

go 1.25
