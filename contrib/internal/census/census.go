// Package census adds up the counts of sockets for the collectors of contrib, and lists them, so
// that all collectors export the same.
package census

import (
	"reflect"
	"sync"
	"weak"

	"github.com/go-zmq/go-zmq/zmq"
)

// A Row is the counts of one socket, or the sums over the sockets of one type of a context.
type Row struct {
	Name  string // what the program calls the socket or the context
	Type  zmq.SocketType
	Stats zmq.Stats
}

// Census knows contexts and sockets. Any number of goroutines may use it at the same time. The
// zero value knows none.
type Census struct {
	mu       sync.Mutex
	contexts map[string]*watched
	sockets  map[string]*zmq.Socket
}

// watched is a context and what is known of its sockets.
type watched struct {
	zctx   *zmq.Context
	open   map[weak.Pointer[zmq.Socket]]*seen
	closed map[zmq.SocketType]zmq.Stats // the sums of sockets that are closed
}

// seen is a socket's type and counts when it was looked at last.
type seen struct {
	typ   zmq.SocketType
	stats zmq.Stats
}

// AddContext adds a context, or replaces the one of that name.
func (c *Census) AddContext(name string, zctx *zmq.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.contexts == nil {
		c.contexts = map[string]*watched{}
	}
	delete(c.sockets, name)
	c.contexts[name] = &watched{zctx: zctx, open: map[weak.Pointer[zmq.Socket]]*seen{}, closed: map[zmq.SocketType]zmq.Stats{}}
}

// AddSocket adds a socket, or replaces the one of that name.
func (c *Census) AddSocket(name string, s *zmq.Socket) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sockets == nil {
		c.sockets = map[string]*zmq.Socket{}
	}
	delete(c.contexts, name)
	c.sockets[name] = s
}

// Remove removes the context or socket of that name.
func (c *Census) Remove(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.contexts, name)
	delete(c.sockets, name)
}

// Take returns the counts of now. Counts that only grow never go down, even if sockets of a
// context are closed.
func (c *Census) Take() (rows []Row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, w := range c.contexts {
		for typ, stats := range w.sums() {
			rows = append(rows, Row{name, typ, stats})
		}
	}
	for name, s := range c.sockets {
		rows = append(rows, Row{name, s.Type(), s.Stats()})
	}
	return rows
}

// sums looks at the sockets of a context and returns the sums by type.
func (w *watched) sums() map[zmq.SocketType]zmq.Stats {
	now := map[weak.Pointer[zmq.Socket]]bool{}
	for _, s := range w.zctx.Sockets() {
		key := weak.Make(s)
		now[key] = true
		w.open[key] = &seen{s.Type(), s.Stats()}
	}
	for key, last := range w.open {
		if now[key] {
			continue
		}
		if s := key.Value(); s != nil { // it is closed, and still knows what it did
			last.stats = s.Stats()
		}
		w.closed[last.typ] = ended(sum(w.closed[last.typ], last.stats))
		delete(w.open, key)
	}
	sums := map[zmq.SocketType]zmq.Stats{}
	for typ, stats := range w.closed {
		sums[typ] = stats
	}
	for _, s := range w.open {
		sums[s.typ] = sum(sums[s.typ], s.stats)
	}
	return sums
}

// sum adds up the fields of two Stats, all of which are numbers.
func sum(a, b zmq.Stats) zmq.Stats {
	to, from := reflect.ValueOf(&a).Elem(), reflect.ValueOf(b)
	for i := range to.NumField() {
		switch f := to.Field(i); f.Kind() {
		case reflect.Uint64:
			f.SetUint(f.Uint() + from.Field(i).Uint())
		case reflect.Int:
			f.SetInt(f.Int() + from.Field(i).Int())
		}
	}
	return a
}

// ended clears what only open sockets have: the fields of type int.
func ended(s zmq.Stats) zmq.Stats {
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Int {
			f.SetInt(0)
		}
	}
	return s
}
