// Zbench measures ZeroMQ systems: throughput, latency under load, and capacity.
package main

import (
	"os"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cli"
)

//go:generate go test ./internal/cli -run TestFlagsDocument -update

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
