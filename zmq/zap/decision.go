package zap

import (
	"fmt"
	"log/slog"
	"time"
)

// The status codes of RFC 27. The client is informed only of 400 and 500.
const (
	Accepted  = 200
	TryLater  = 300 // refused for now: Timeout, MaxCallbacks, or the authenticator is closing
	Refused   = 400
	Malformed = 500 // a malformed request, or a function that panicked or returned an invalid Grant
)

// Decision is the authenticator's answer to one request. It contains no password.
type Decision struct {
	Request
	Version  string        // of the protocol
	Time     time.Time     // when the request arrived
	Took     time.Duration // from the request to the answer
	Status   int           // Accepted, TryLater, Refused or Malformed
	Text     string        // the reason, in words
	UserID   string        // of an accepted client
	Metadata map[string]string
	Err      error // a *PanicError, the error of Authorize, or the fault in the request or Grant
}

// Accepted reports whether the client was accepted.
func (d Decision) Accepted() bool { return d.Status == Accepted }

// String returns one line. Text from the client is quoted.
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

// LogValue returns the value for log/slog.
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

// who returns the client's name, public key or principal.
func (r Request) who() string { return r.User + r.PublicKey + r.Principal }

// PanicError reports that a function of the policy panicked or called runtime.Goexit.
type PanicError struct {
	Value any    // the value of the panic, nil for Goexit
	Stack []byte // the goroutine's stack
}

// Error returns a text that contains the value, but not the stack.
func (e *PanicError) Error() string {
	if e.Value == nil {
		return "zap: a function of the policy called runtime.Goexit"
	}
	return fmt.Sprintf("zap: a function of the policy panicked: %v", e.Value)
}
