package main

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

const snapshots, updates, changes = "inproc://snapshots", "inproc://updates", "inproc://changes"

// A table is the content of a server or client.
type table struct {
	values   map[string]string
	sequence uint64 // number of the last change
}

// apply sets a key. An empty value deletes it.
func (t *table) apply(key, value []byte) {
	if len(value) == 0 {
		delete(t.values, string(key))
	} else {
		t.values[string(key)] = string(value)
	}
}

func (t *table) number() []byte { return binary.BigEndian.AppendUint64(nil, t.sequence) }

// serve owns a table until ctx is done.
func serve(ctx context.Context, d *demo.Demo) error {
	router, _ := d.Bind(zmq.Router, snapshots)
	pub, _ := d.Bind(zmq.Pub, updates)
	pull, _ := d.Bind(zmq.Pull, changes)
	t := table{values: map[string]string{}}
	requests, wanted, ticker := router.RecvChan(ctx), pull.RecvChan(ctx), time.NewTicker(50*time.Millisecond)
	for {
		var err error
		select {
		case <-ctx.Done():
		case change := <-wanted.C: // key, value
			if len(change) == 2 {
				t.sequence++
				t.apply(change[0], change[1])
				err = pub.SendMultipart(ctx, append(change, t.number()))
			}
		case <-ticker.C: // a client that has missed the last change notices it
			err = pub.SendMultipart(ctx, [][]byte{nil, nil, t.number()})
		case reply := <-requests.C: // the table is one message, which arrives whole or not at all
			if len(reply) > 0 {
				reply[len(reply)-1] = t.number() // the parts before it are the client's address
				for key, value := range t.values {
					reply = append(reply, []byte(key), []byte(value))
				}
				err = router.SendMultipart(ctx, reply)
			}
		}
		if ctx.Err() != nil || err != nil {
			return err
		}
	}
}
