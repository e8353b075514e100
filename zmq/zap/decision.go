package zap

import (
	"fmt"
	"log/slog"
	"time"
)

// The status codes of RFC 27. The client is told of 400 and 500.
const (
	Accepted  = 200
	TryLater  = 300 // refused for now: no time, no room, or the authenticator is closing
	Refused   = 400
	Malformed = 500 // a request that is none, a function that panicked or granted the impossible
)

// Decision is what the authenticator answered to one request. It is a plain value
// that does not contain passwords.
type Decision struct {
	Request
	Version  string // of the protocol
	Time     time.Time
	Took     time.Duration // from the request to the answer
	Status   int           // Accepted, TryLater, Refused or Malformed
	Text     string        // the reason, in words
	UserID   string        // of an accepted client
	Metadata map[string]string
	Err      error // what went wrong: a *PanicError, what Authorize returned, what is malformed
}

// Accepted reports whether the client was let in.
func (d Decision) Accepted() bool { return d.Status == Accepted }

// String returns one line. What comes from the client is quoted.
func (d Decision) String() string {
	text := fmt.Sprintf("%d %s: %s client at %q, domain %q", d.Status, d.Text, d.Mechanism, d.Address, d.Domain)
	if who := d.who(); who != "" {
		text += fmt.Sprintf(", %q", who)
	}
	if d.Err != nil {
		text += fmt.Sprintf(" (%v)", d.Err)
	}
	return text
}

// LogValue is what log/slog records.
func (d Decision) LogValue() slog.Value {
	values := []slog.Attr{
		slog.Int("status", d.Status), slog.String("text", d.Text), slog.String("mechanism", d.Mechanism),
		slog.String("address", d.Address), slog.String("domain", d.Domain),
		slog.String("client", d.who()), slog.Duration("took", d.Took),
	}
	if d.Err != nil {
		values = append(values, slog.String("error", d.Err.Error()))
	}
	return slog.GroupValue(values...)
}

// who is what the client says of itself, as far as it is no secret.
func (r Request) who() string { return r.User + r.PublicKey + r.Principal }

// PanicError says that a function of the policy panicked, or ended its goroutine
// with runtime.Goexit.
type PanicError struct {
	Value any    // of the panic; nil for Goexit
	Stack []byte // of the goroutine
}

// Error has the value; the stack is in Stack.
func (e *PanicError) Error() string {
	if e.Value == nil {
		return "zap: a function of the policy ended its goroutine"
	}
	return fmt.Sprintf("zap: a function of the policy panicked: %v", e.Value)
}
