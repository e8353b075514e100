// Package zmqotel traces messages of go-zmq with OpenTelemetry, and exports the counts of sockets
// as its metrics.
//
// A message carries the trace context of its sender in an additional last part, the envelope.
// The envelope begins with the line "otel 1", and its other lines are fields such as
// "traceparent: 00-...", as the propagator writes them (W3C Trace Context by default).
// [Telemetry.Inject] adds the envelope and [Telemetry.Extract] removes it. It comes last so that
// a SUB still filters by the first part and a ROUTER finds its routing ID there. Messages without
// an envelope pass unchanged, so peers that send none need no change. A peer that does not
// remove the envelope sees it as one more part. Use WithoutEnvelope when you send to such peers,
// whose traces are then not connected with yours.
//
// Requests, tasks and publications have wrappers that make spans by the semantic
// conventions for messaging: [Telemetry.Request] and [Telemetry.Handler] for package request,
// [Telemetry.Push] and [Telemetry.Process] for package task, and [Telemetry.Publish] and [Telemetry.Deliver] for
// package replay. A task or a publication has only a payload, so the lines of the envelope
// are put in front of it, followed by an empty line. [Metrics] has the counts of sockets.
package zmqotel
