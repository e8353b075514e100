// Command slog publishes the log of a program on a PUB. Subscribers choose the levels that
// they want to see.
//
//	go run ./slog
//
// A ReadWriter makes the socket an io.Writer: each Write is one message behind an envelope.
// Here the envelope is a topic such as "log/ERROR". A PUB drops messages for subscribers
// that are too slow, so logging does not delay the program.
package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	demo.Run(run)
	// Output:
	// all levels: log/INFO level=INFO msg=started service=billing port=8080
	// all levels: log/ERROR level=ERROR msg="payment failed" service=billing
	// errors only: log/ERROR level=ERROR msg="payment failed" service=billing
}

func run(ctx context.Context, d *demo.Demo) error {
	pub, endpoint := d.Bind(zmq.Pub, demo.AnyPort, zmq.TrackSubscriptions.To(true))
	all := d.Connect(zmq.Sub, endpoint, zmq.Subscribe.To("log/"))
	errors := d.Connect(zmq.Sub, endpoint, zmq.Subscribe.To("log/ERROR"))
	if err := pub.WaitSubscribers(ctx, 2); err != nil {
		return err
	}

	logger := slog.New(newHandler(ctx, pub)).With("service", "billing")
	logger.Info("started", "port", 8080)
	logger.Error("payment failed")

	for _, s := range []struct {
		title  string
		socket *zmq.Socket
		lines  int
	}{{"all levels", all, 2}, {"errors only", errors, 1}} {
		for range s.lines {
			message, err := s.socket.RecvMultipart(ctx) // topic, line
			if err != nil {
				return err
			}
			fmt.Printf("%s: %s %s", s.title, message[0], message[1])
		}
	}
	return nil
}

// A handler has one slog.Handler for each level, which writes behind the topic of its level.
type handler map[slog.Level]slog.Handler

func newHandler(ctx context.Context, pub *zmq.Socket) handler {
	h := handler{}
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		w := zmq.NewReadWriter(ctx, pub, []byte("log/"+level.String()))
		h[level] = slog.NewTextHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: withoutTime})
	}
	return h
}

// withoutTime removes the time, so that the output is always the same.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func (h handler) Enabled(_ context.Context, level slog.Level) bool { return h[level] != nil }

func (h handler) Handle(ctx context.Context, r slog.Record) error { return h[r.Level].Handle(ctx, r) }

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return h.each(func(level slog.Handler) slog.Handler { return level.WithAttrs(attrs) })
}

func (h handler) WithGroup(name string) slog.Handler {
	return h.each(func(level slog.Handler) slog.Handler { return level.WithGroup(name) })
}

// each returns a handler with f applied to the handler of each level.
func (h handler) each(f func(slog.Handler) slog.Handler) handler {
	changed := handler{}
	for level, inner := range h {
		changed[level] = f(inner)
	}
	return changed
}
