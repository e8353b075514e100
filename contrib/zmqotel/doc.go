// Package zmqotel traces messages of go-zmq with OpenTelemetry, and exports the counts of sockets
// as its metrics.
//
// A message carries the trace context of its sender in one more part, the last one: the
// envelope. It begins with the line "otel 1", and the other lines are fields such as "traceparent:
// 00-...", as the propagator writes them (W3C Trace Context by default). [Telemetry.Inject] adds the
// envelope and [Telemetry.Extract] takes it off. It is the last part so that a SUB still filters by the
// first one and a ROUTER finds its routing ID. A message without an envelope is passed through as it is, so peers
// that do not send one need no change. A peer that does not take it off sees the part; turn it
// off with WithoutEnvelope for such peers, which then start traces of their own.
//
// Requests, tasks and publications have wrappers that make spans by the semantic
// conventions for messaging: [Telemetry.Request] and [Telemetry.Handler] for package request,
// [Telemetry.Push] and [Telemetry.Process] for package task, and [Telemetry.Publish] and [Telemetry.Deliver] for
// package replay. A task and a publication are one payload, so the same lines stand in front
// of it, with an empty line between them. [Metrics] has the counts of sockets.
package zmqotel
