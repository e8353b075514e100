// Zbench measures ZeroMQ through go-zmq: how fast messages go on this machine, beside
// the same loops in C, and how late they come under load.
package main

import (
	"os"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cli"
)

//go:generate go run . docs --update ../../docs/zbench.md

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
