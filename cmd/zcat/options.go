package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

// options are the flags of a command.
type options struct {
	format    string
	separator string
	parts     []string
	topics    []string
	to        string
	reply     string
	echo      bool
	count     int
	timeout   time.Duration
	interval  time.Duration
	monitor   bool
	plainText bool

	curve     string
	serverKey string
	allow     string
}

// define defines the flags that suit a kind.
func (o *options) define(f *pflag.FlagSet, k kind) {
	f.SortFlags = false
	f.StringVarP(&o.format, "format", "f", "text", "how messages are read and printed: text, hex, json or raw (each message and part with its length in four bytes)")
	f.StringVar(&o.separator, "separator", "", "what separates the parts of a message in a line of text (printed as \" | \" if it is not set)")
	if k.typ == zmq.Sub || k.typ == zmq.Dish {
		f.StringArrayVarP(&o.topics, "topic", "t", nil, "a topic (SUB: a prefix, all without -t) or group (DISH); may be repeated")
	}
	if k.way != receives {
		f.StringArrayVar(&o.parts, "part", nil, "a part of the message to send instead of the standard input; repeat it for a multipart message")
		f.DurationVar(&o.interval, "interval", 0, "the time between two messages; with --part, the message is repeated")
	}
	if k.address != "" && k.way != receives {
		f.StringVar(&o.to, "to", "", "the "+k.address+" to send to (without it, that of the last message received, or of the JSON line)")
	}
	if k.way == replies {
		f.StringVar(&o.reply, "reply", "", "the reply to each request (without it, a line of the standard input)")
		f.BoolVar(&o.echo, "echo", false, "reply with the request")
	}
	f.IntVarP(&o.count, "count", "c", 0, "end after this many messages (0: no limit)")
	f.DurationVar(&o.timeout, "timeout", 0, "give up when nothing could be sent or received for this long (0: never)")
	o.defineSecurity(f)
}

// defineSecurity defines the flags that every socket has.
func (o *options) defineSecurity(f *pflag.FlagSet) {
	f.BoolVar(&o.monitor, "monitor", false, "print what happens to the connections on the standard error")
	f.StringVar(&o.curve, "curve", "", "encrypt with the key file of zcert: one's own, or with --server-key the client's")
	f.StringVar(&o.serverKey, "server-key", "", "be a CURVE client of the server with this public key (a file of zcert, or 40 characters)")
	f.StringVar(&o.allow, "allow", "", "as CURVE server, accept only clients with a public key file in this directory")
}

func (o *options) check(k kind) error {
	switch {
	case o.count < 0:
		return usage("--count %d is negative; 0 means no limit", o.count)
	case o.timeout < 0 || o.interval < 0:
		return usage("--timeout and --interval cannot be negative")
	case o.echo && o.reply != "":
		return usage("--echo and --reply exclude each other")
	case o.allow != "" && (o.curve == "" || o.serverKey != ""):
		return usage("--allow is for a CURVE server: it needs --curve, and no --server-key")
	case k.address == "" && o.to != "":
		return usage("a %s has no address to send to", k.typ)
	}
	_, err := codecFor(o)
	return err
}

// security returns the setting that the CURVE flags ask for, and a function that releases
// what it needs.
func (o *options) security(zctx *zmq.Context) (settings []zmq.Setting, err error) {
	var own zap.Certificate
	if o.curve != "" {
		if own, err = zap.LoadCertificate(strings.TrimSuffix(o.curve, "_secret")); err != nil {
			return nil, fmt.Errorf("--curve: %w; create a key file with zcert", err)
		}
		if own.Secret == "" {
			return nil, usage("--curve: %s has no secret key, and %s_secret cannot be read; only its owner can use it", o.curve, strings.TrimSuffix(o.curve, "_secret"))
		}
	}
	switch {
	case o.serverKey != "":
		key, err := publicKey(o.serverKey)
		if err != nil {
			return nil, err
		}
		if o.curve == "" {
			return []zmq.Setting{zmq.AsCurveClient(key)}, nil
		}
		return []zmq.Setting{zmq.AsCurveClient(key, zmq.CurveKeys{Public: own.Public, Secret: own.Secret})}, nil
	case o.allow != "":
		store, err := zap.NewDirectoryStore(o.allow, time.Second)
		if err != nil {
			return nil, fmt.Errorf("--allow: %w", err)
		}
		// It ends with the context.
		if _, err := zap.Start(zctx, zap.Policy{Curve: store.Allowed}); err != nil {
			return nil, err
		}
		return []zmq.Setting{zmq.AsCurveServer(own.Secret, zmq.Authenticated("zcat"))}, nil
	case o.curve != "":
		return []zmq.Setting{zmq.AsCurveServer(own.Secret, zmq.AllowAnyClient())}, nil
	}
	return nil, nil
}

// publicKey returns a key that is given as text, or in a file.
func publicKey(text string) (string, error) {
	if key, err := zmq.Z85Decode(text); err == nil && len(key) == 32 {
		return text, nil
	}
	c, err := zap.LoadPublicCertificate(text)
	if err != nil {
		return "", fmt.Errorf("--server-key: it is neither a key of 40 characters nor a key file: %w", err)
	}
	return c.Public, nil
}

// limit calls a function that may block, for at most the timeout. what says in the error what did not happen.
func (o *options) limit(ctx context.Context, what string, call func(ctx context.Context) error) error {
	if o.timeout <= 0 {
		return call(ctx)
	}
	within, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	err := call(within)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s within %v: %w", what, o.timeout, err)
	}
	return err
}
