package zap_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// stuck returns a function that does not return before the end of the test, and a channel
// that reports its calls.
func stuck(t *testing.T) (wait func(), called chan struct{}) {
	release, called := make(chan struct{}), make(chan struct{}, 1000)
	t.Cleanup(func() { close(release) })
	return func() { called <- struct{}{}; <-release }, called
}

// Faults of a policy's function and their effect on the client. Each time, another client
// is accepted afterwards.
func TestBadFunctions(t *testing.T) {
	t.Parallel()
	wait, _ := stuck(t)
	someError := errors.New("the directory is down")
	for name, test := range map[string]struct {
		does   func(context.Context) (zap.Grant, error)
		status int
		says   string
	}{
		"panics":            {func(context.Context) (zap.Grant, error) { panic("deliberate") }, zap.Malformed, "deliberate"},
		"panics with error": {func(context.Context) (zap.Grant, error) { panic(someError) }, zap.Malformed, "directory"},
		"ends its goroutine": {func(context.Context) (zap.Grant, error) {
			runtime.Goexit()
			return zap.Grant{}, nil
		}, zap.Malformed, "Goexit"},
		"never returns":   {func(context.Context) (zap.Grant, error) { wait(); return zap.Grant{}, nil }, zap.TryLater, "Timeout"},
		"waits for ctx":   {func(ctx context.Context) (zap.Grant, error) { <-ctx.Done(); return zap.Grant{}, nil }, zap.TryLater, "Timeout"},
		"panics too late": {func(ctx context.Context) (zap.Grant, error) { <-ctx.Done(); panic("deliberate") }, zap.TryLater, "Timeout"},
		"fails":           {func(context.Context) (zap.Grant, error) { return zap.Grant{}, someError }, zap.Refused, "directory"},
		"long id":         {grant(zap.Grant{UserID: strings.Repeat("x", 256)}), zap.Malformed, "UserID"},
		"id with NUL":     {grant(zap.Grant{UserID: "a\x00b"}), zap.Malformed, "UserID"},
		"empty name":      {grant(zap.Grant{Metadata: map[string]string{"": "x"}}), zap.Malformed, "not a valid metadata name"},
		"long name":       {grant(zap.Grant{Metadata: map[string]string{strings.Repeat("x", 256): "x"}}), zap.Malformed, "not a valid metadata name"},
		"name with space": {grant(zap.Grant{Metadata: map[string]string{"a b": "x"}}), zap.Malformed, "not a valid metadata name"},
		"libzmq's name":   {grant(zap.Grant{Metadata: map[string]string{"routing-id": "x"}}), zap.Malformed, "reserved"},
		"Identity":        {grant(zap.Grant{Metadata: map[string]string{"Identity": "x"}}), zap.Malformed, "reserved"},
		"Socket-Type":     {grant(zap.Grant{Metadata: map[string]string{"Socket-Type": "SUB"}}), zap.Malformed, "reserved"},
		"User-Id":         {grant(zap.Grant{Metadata: map[string]string{"USER-ID": "x"}}), zap.Malformed, "reserved"},
		"descriptor":      {grant(zap.Grant{Metadata: map[string]string{"__fd": "7"}}), zap.Malformed, "reserved"},
		"value with NUL":  {grant(zap.Grant{Metadata: map[string]string{"x": "\x00"}}), zap.Malformed, "NUL"},
		"huge value":      {grant(zap.Grant{Metadata: map[string]string{"x": strings.Repeat("x", 1<<17)}}), zap.Malformed, "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := zap.Policy{
				Timeout: limit, // on a busy machine even a quick function takes its time
				Authorize: func(ctx context.Context, r zap.Request) (zap.Grant, error) {
					if r.User == "good" {
						return zap.Grant{}, nil
					}
					return test.does(ctx)
				},
			}
			slow := policy
			if test.status == zap.TryLater {
				slow.Timeout = 100 * time.Millisecond
			}
			w := newWorld(t, slow)
			server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("d"))
			began := time.Now()
			w.client(endpoint, zmq.AsPlainClient("bad", "secret words"))
			d := w.decision()
			require.Equal(t, test.status, d.Status, "%v", d)
			require.Contains(t, d.String(), test.says)
			require.NotContains(t, fmt.Sprintf("%v %+v %#v", d, d, d.Err), "secret words")
			var p *zap.PanicError
			require.Equal(t, strings.HasPrefix(name, "panics") && test.status == zap.Malformed || strings.HasPrefix(name, "ends"), errors.As(d.Err, &p))
			if p != nil {
				require.Contains(t, string(p.Stack), "callback_test.go")
			}
			require.Less(t, time.Since(began), 20*time.Second)
			require.NoError(t, w.auth.SetPolicy(policy))
			w.letsIn(server, endpoint, zmq.AsPlainClient("good", "p"))
		})
	}
}

func grant(g zap.Grant) func(context.Context) (zap.Grant, error) {
	return func(context.Context) (zap.Grant, error) { return g, nil }
}

// A function that does not return keeps only its own place, and only until SetPolicy.
func TestStuckFunctionsStopNobody(t *testing.T) {
	t.Parallel()
	wait, called := stuck(t)
	policy := zap.Policy{
		MaxCallbacks: 3, Timeout: 2 * time.Second,
		Plain: func(_, user, _ string) bool {
			if user == "stuck" {
				wait()
			}
			return true
		},
	}
	w := newWorld(t, policy)
	plain, inPlain := w.server("tcp://127.0.0.1:*", zmq.AsPlainServer("d"))
	null, inNull := w.server("tcp://127.0.0.1:*", zmq.AsNullServer("d"))
	for range 2 {
		w.client(inPlain, zmq.AsPlainClient("stuck", "p"))
		<-called
	}
	for range 2 {
		require.Equal(t, zap.TryLater, w.decision().Status)
	}
	require.Equal(t, 2, w.auth.Stats().Callbacks)
	w.letsIn(plain, inPlain, zmq.AsPlainClient("u", "p")) // one place is left
	require.True(t, w.decision().Accepted())
	w.client(inPlain, zmq.AsPlainClient("stuck", "p"))
	<-called
	require.Equal(t, zap.TryLater, w.decision().Status)
	for range 20 {
		client, _ := w.client(inPlain, zmq.AsPlainClient("u", "p"))
		d := w.decision()
		require.Equal(t, zap.TryLater, d.Status)
		require.Contains(t, d.Text, "MaxCallbacks")
		// libzmq ends the connection at once if it was slower than the answer, and the
		// client would ask again.
		require.NoError(t, client.Close())
	}
	w.letsIn(null, inNull) // NULL clients need no function
	require.True(t, w.decision().Accepted())
	w.silent(plain)
	require.Equal(t, 3, w.auth.Stats().Callbacks)

	require.NoError(t, w.auth.SetPolicy(w.logged(policy)))
	require.Zero(t, w.auth.Stats().Callbacks)
	w.letsIn(plain, inPlain, zmq.AsPlainClient("u", "p"))
}

// A Log that panics, ends its goroutine or never returns affects no client.
func TestBadLog(t *testing.T) {
	t.Parallel()
	wait, called := stuck(t)
	var calls atomic.Int64
	w := newWorld(t, zap.Policy{})
	server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsNullServer("d"))
	logged := make(chan zap.Decision, 2000)
	require.NoError(t, w.auth.SetPolicy(zap.Policy{Log: func(d zap.Decision) {
		switch calls.Add(1) {
		case 1:
			panic("deliberate")
		case 2:
			runtime.Goexit()
		case 4:
			wait()
		}
		logged <- d
	}}))
	for range 4 {
		w.letsIn(server, endpoint)
	}
	require.True(t, (<-logged).Accepted())
	<-called
	require.EqualValues(t, 2, w.auth.Stats().Unlogged)
	for range 1100 {
		w.ask("1.0", "1", "d", "10.0.0.1", "", "NULL")
	}
	require.Greater(t, w.auth.Stats().Unlogged, uint64(2), "what waits for a slow Log is bounded")
	w.letsIn(server, endpoint)
}
