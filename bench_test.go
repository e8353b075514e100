//go:build unix

package gozmq_test

import (
	"testing"

	"github.com/go-zmq/go-zmq/bench/suite"
)

// The benchmarks, in the order in which they run. Their documentation is in bench/suite.

func BenchmarkParked(b *testing.B)      { suite.Parked(b) }
func BenchmarkPollerScale(b *testing.B) { suite.PollerScale(b) }
func BenchmarkReceiveSide(b *testing.B) { suite.ReceiveSide(b) }
func BenchmarkCall(b *testing.B)        { suite.Call(b) }
func BenchmarkReceive(b *testing.B)     { suite.Receive(b) }
func BenchmarkStrategy(b *testing.B)    { suite.Strategy(b) }
func BenchmarkPublish(b *testing.B)     { suite.Publish(b) }
func BenchmarkFan(b *testing.B)         { suite.Fan(b) }
func BenchmarkTransport(b *testing.B)   { suite.Transport(b) }
func BenchmarkCurve(b *testing.B)       { suite.Curve(b) }
func BenchmarkEngine(b *testing.B)      { suite.Engine(b) }
func BenchmarkRoundTrip(b *testing.B)   { suite.RoundTrip(b) }
func BenchmarkRequest(b *testing.B)     { suite.Request(b) }
func BenchmarkLatency(b *testing.B)     { suite.Latency(b) }
func BenchmarkProxy(b *testing.B)       { suite.Proxy(b) }
func BenchmarkSweep(b *testing.B)       { suite.Sweep(b) }
