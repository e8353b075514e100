// The command has a module of its own, so that what it depends on is no dependency of the
// binding's users. The root module comes from go.work, as for cmd/zbench, whose go.mod says
// why.
module github.com/go-zmq/go-zmq/cmd/zcat

go 1.26.0

require (
	github.com/mattn/go-runewidth v0.0.19
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.9
	golang.org/x/term v0.47.0
)

require (
	github.com/clipperhouse/uax29/v2 v2.2.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
