// The tables of this repository have a tool of their own, so that what it depends
// on is no dependency of the binding's users. Users do not install it.
module github.com/go-zmq/go-zmq/bench/tables

go 1.26.0

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da
)
