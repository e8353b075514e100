module github.com/go-zmq/go-zmq/tools/testcount

go 1.25
