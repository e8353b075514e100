// Package main is built as a C library and as a plugin, to show that the guard is active
// there. See lane_shared in scripts/builds.sh.
package main

import "C"

import "github.com/go-zmq/go-zmq/zmq"

// Guard is for the plugin's host.
func Guard() bool { return zmq.Has("guard") }

//export guard
func guard() bool { return Guard() }

func main() {}
