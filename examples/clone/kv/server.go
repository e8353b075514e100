// Package kv has a table of keys and values on a server, and clients with a copy of it: the
// Clone pattern.
package kv

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/go-zmq/go-zmq/examples/internal/demo"
	"github.com/go-zmq/go-zmq/zmq"
)

// A Table is the content of a server or client.
type Table struct {
	Values   map[string]string
	Sequence uint64 // number of the last change
}

// apply sets a key. An empty value deletes it.
func (t *Table) apply(key, value []byte) {
	if len(value) == 0 {
		delete(t.Values, string(key))
	} else {
		t.Values[string(key)] = string(value)
	}
}

func (t *Table) number() []byte { return binary.BigEndian.AppendUint64(nil, t.Sequence) }

// Serve owns a table until ctx is done. Clients find it by the name of the server.
func Serve(ctx context.Context, d *demo.Demo, name string, t Table) error {
	router, _ := d.Bind(zmq.Router, d.IPC(name+"-snapshots"))
	defer router.Close()
	pub, _ := d.Bind(zmq.Pub, d.IPC(name+"-updates"))
	defer pub.Close()
	pull, _ := d.Bind(zmq.Pull, d.IPC(name+"-changes"))
	defer pull.Close()
	requests, wanted, ticker := router.RecvChan(ctx), pull.RecvChan(ctx), time.NewTicker(50*time.Millisecond)
	for {
		var err error
		select {
		case <-ctx.Done():
		case change := <-wanted.C: // key, value
			if len(change) == 2 {
				t.Sequence++
				t.apply(change[0], change[1])
				err = pub.SendMultipart(ctx, append(change, t.number()))
			}
		case <-ticker.C: // a client that has missed the last change notices it
			err = pub.SendMultipart(ctx, [][]byte{nil, nil, t.number()})
		case reply := <-requests.C: // the table is one message, which arrives whole or not at all
			if len(reply) > 0 {
				reply[len(reply)-1] = t.number() // the parts before it are the client's address
				for key, value := range t.Values {
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
