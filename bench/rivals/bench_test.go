package rivals

import "testing"

func BenchmarkParked(b *testing.B)    { benchParked(b) }
func BenchmarkReceive(b *testing.B)   { benchReceive(b) }
func BenchmarkBindings(b *testing.B)  { benchBindings(b) }
func BenchmarkPublish(b *testing.B)   { benchPublish(b) }
func BenchmarkTransport(b *testing.B) { benchTransport(b) }
func BenchmarkRoundTrip(b *testing.B) { benchRoundTrip(b) }
func BenchmarkRequest(b *testing.B)   { benchRequest(b) }
