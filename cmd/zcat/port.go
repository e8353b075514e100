package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/zmq"
)

// A port is the socket of a command, with what goes in and out.
type port struct {
	kind
	o      *options
	socket *zmq.Socket
	std    streams
	print  *printer
	last   []byte                                            // the address of the message that was received last
	due    func(ctx context.Context, n int, m message) error // waits until the n-th message is to be sent
}

// withSocket opens the socket of a command, calls use, and closes it. It waits until what was sent
// has left.
func withSocket(ctx context.Context, k kind, endpoints []string, o *options, std streams, use func(p *port) error) (err error) {
	if err := o.check(k); err != nil {
		return err
	}
	print, err := newPrinter(std.out, o)
	if err != nil {
		return err
	}
	zctx, err := zmq.NewContext()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close(ctx, zctx, err)) }()
	socket, err := open(ctx, zctx, k, endpoints, o, std)
	if err != nil {
		return err
	}
	p := &port{kind: k, o: o, socket: socket, std: std, print: print}
	p.due = func(ctx context.Context, n int, _ message) error {
		return sleep(ctx, min(time.Duration(n), 1)*o.interval)
	}
	return use(p)
}

// close closes the context. After a success it waits for messages that are still unsent.
func (o *options) close(ctx context.Context, zctx *zmq.Context, failed error) error {
	if failed == nil && ctx.Err() == nil {
		return o.limit(ctx, "not all messages could be sent", zctx.CloseContext)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = zctx.CloseContext(ctx) // the failure says more
	return nil
}

// open creates the socket and binds and connects it.
func open(ctx context.Context, zctx *zmq.Context, k kind, endpoints []string, o *options, std streams) (*zmq.Socket, error) {
	settings, err := o.security(zctx)
	if err != nil {
		return nil, err
	}
	if k.typ == zmq.Pub || k.typ == zmq.XPub {
		settings = append(settings, zmq.TrackSubscriptions.To(k.typ == zmq.Pub))
	}
	if k.typ == zmq.Router {
		settings = append(settings, zmq.RouterMandatory.To(true)) // a message for nobody is an error
	}
	if k.way == sends {
		settings = append(settings, zmq.Linger.To(-1)) // what was read is sent; close bounds it
	}
	socket, err := zctx.NewSocket(k.typ, settings...)
	if err != nil {
		return nil, err
	}
	if o.monitor {
		if err := report(ctx, socket, std.faults); err != nil {
			return nil, err
		}
	}
	if err := o.subscribe(socket); err != nil {
		return nil, err
	}
	for _, e := range endpoints {
		if err := attach(socket, e); err != nil {
			return nil, err
		}
	}
	return socket, nil
}

func (o *options) subscribe(s *zmq.Socket) (err error) {
	topics := o.topics
	switch s.Type() {
	case zmq.Sub:
		if topics == nil {
			topics = []string{""}
		}
		for _, t := range topics {
			err = errors.Join(err, s.Subscribe(t))
		}
	case zmq.Dish:
		if topics == nil {
			return usage("a DISH receives from groups: name them with -t")
		}
		for _, t := range topics {
			err = errors.Join(err, s.Join(t))
		}
	}
	return err
}

// attach binds or connects a socket to an endpoint of the command line.
func attach(s *zmq.Socket, endpoint string) error {
	bare := strings.TrimLeft(endpoint, "@>")
	if !strings.Contains(bare, "://") {
		return usage("endpoint %q: it has no transport; write tcp://host:port, ipc:///path or inproc://name", endpoint)
	}
	if strings.HasPrefix(endpoint, "@") || !strings.HasPrefix(endpoint, ">") && strings.Contains(bare, "*") {
		return s.Bind(bare)
	}
	return s.Connect(bare)
}

// report prints the events of the connections until ctx is done or the socket is closed.
func report(ctx context.Context, s *zmq.Socket, w io.Writer) error {
	m, err := s.Monitor(zmq.EventAll &^ zmq.EventMonitorStopped)
	if err != nil {
		return err
	}
	go func() {
		for e, err := range m.Events(ctx) {
			if err != nil {
				return
			}
			fmt.Fprintln(w, eventLine(e))
		}
	}()
	return nil
}

func eventLine(e zmq.MonitorEvent) string {
	text := "zcat: " + time.Now().Format("15:04:05.000") + " " + strings.ToLower(strings.ReplaceAll(e.Event.String(), "_", " ")) + " " + e.Endpoint
	switch {
	case e.Err != nil:
		text += ": " + e.Err.Error()
	case e.RetryInterval > 0:
		text += " in " + e.RetryInterval.String()
	}
	if e.Peer.Address.IsValid() {
		text += " (peer " + e.Peer.Address.String() + ")"
	} else if e.Peer.Process > 0 {
		text += " (process " + strconv.Itoa(e.Peer.Process) + ")"
	}
	return text
}

// talk does what the socket type does until everything is sent, --count is reached, or ctx is
// done.
func (p *port) talk(ctx context.Context) error {
	input := p.input(ctx)
	switch p.way {
	case sends, requests:
		return p.sendAll(ctx, input, p.o.count)
	case receives:
		return p.receiveAll(ctx, p.o.count)
	case replies:
		return p.answer(ctx, input)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if err := p.sendAll(ctx, input, 0); err != nil {
			cancel(err)
		}
	}()
	err := p.receiveAll(ctx, p.o.count)
	if failed := context.Cause(ctx); err != nil && failed != nil {
		return failed
	}
	return err
}

// An item is a message to send, or why there is none.
type item struct {
	message
	err error
}

// input returns the messages to send. The channel is closed at their end. The goroutine that reads the
// standard input may be blocked there until the process ends.
func (p *port) input(ctx context.Context) <-chan item {
	items := make(chan item)
	read := p.source()
	go func() {
		defer close(items)
		for {
			m, err := read()
			if err == io.EOF {
				return
			}
			select {
			case items <- item{m, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return items
}

// source returns a function that returns the messages of --part or of the standard input, and
// io.EOF after the last one.
func (p *port) source() func() (message, error) {
	if p.o.parts == nil {
		lines := bufio.NewReader(p.std.in)
		return func() (message, error) { return p.print.codec.read(lines) }
	}
	var m message
	for _, part := range p.o.parts {
		m.Parts = append(m.Parts, text(part))
	}
	most := p.o.count
	if most == 0 && p.o.interval == 0 {
		most = 1
	}
	n := 0
	return func() (message, error) {
		if n++; most > 0 && n > most {
			return m, io.EOF
		}
		return m, nil
	}
}

// next returns the next message to send. ok is false at the end of the input.
func next(ctx context.Context, input <-chan item) (m message, ok bool, err error) {
	select {
	case i, ok := <-input:
		return i.message, ok, i.err
	case <-ctx.Done():
		return m, false, ctx.Err()
	}
}

// sendAll sends the input, and receives the reply to each if the socket makes requests. most is the
// largest number of messages; 0 means no limit.
func (p *port) sendAll(ctx context.Context, input <-chan item, most int) error {
	for n := 0; most == 0 || n < most; n++ {
		m, ok, err := next(ctx, input)
		if err != nil || !ok {
			return err
		}
		if n == 0 {
			err = p.awaitPeer(ctx)
		}
		if err == nil {
			err = p.due(ctx, n, m)
		}
		if err == nil {
			err = p.send(ctx, m)
		}
		if err == nil && p.way == requests {
			err = p.receiveAll(ctx, 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitPeer waits until a message can reach somebody: a PUB drops what nobody has subscribed to, and
// what is queued for a peer that refuses the connection is lost when the socket closes.
func (p *port) awaitPeer(ctx context.Context) error {
	switch {
	case p.typ == zmq.Pub:
		return p.o.limit(ctx, "nobody subscribed", func(ctx context.Context) error { return p.socket.WaitSubscribers(ctx, 1) })
	case p.typ == zmq.Radio || p.way == both: // udp has no connections; a router knows whom it cannot reach
		return nil
	}
	return p.o.limit(ctx, "no peer was there", func(ctx context.Context) error { return p.socket.WaitConnected(ctx, 1) })
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(max(d, 0)):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *port) receiveAll(ctx context.Context, most int) error {
	for n := 0; most == 0 || n < most; n++ {
		m, err := p.receive(ctx)
		if err != nil {
			return err
		}
		if err := p.print.print(m, n+1 != most && p.moreWaits()); err != nil {
			return err
		}
	}
	return nil
}

func (p *port) moreWaits() bool {
	events, err := zmq.Events.Get(p.socket)
	return err == nil && events&1 != 0
}

func (p *port) answer(ctx context.Context, input <-chan item) error {
	for n := 0; p.o.count == 0 || n < p.o.count; n++ {
		m, err := p.receive(ctx)
		if err != nil {
			return err
		}
		if err := p.print.print(m, false); err != nil {
			return err
		}
		switch {
		case p.o.echo:
		case p.o.reply != "":
			m.Parts = []text{text(p.o.reply)}
		default:
			var ok bool
			if m, ok, err = next(ctx, input); err != nil || !ok {
				return err
			}
		}
		if err := p.send(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// send sends a message to its address, or that of --to, or that of the last message received.
func (p *port) send(ctx context.Context, m message) error {
	if m.ID == nil && p.o.to != "" {
		m.ID = text(p.o.to)
	}
	if m.ID == nil {
		m.ID = p.last
	}
	if p.address != "" && m.ID == nil {
		return fmt.Errorf("it is not known whom to send to: no message has come yet; name the %s with --to, or in the JSON line as \"id\"", p.address)
	}
	return p.o.limit(ctx, "nothing could be sent", func(ctx context.Context) error { return p.sendTo(ctx, string(m.ID), m.raw()) })
}

// sendTo sends parts to an address, which is empty if the type has none.
func (p *port) sendTo(ctx context.Context, to string, parts [][]byte) error {
	switch p.typ {
	case zmq.Router, zmq.Stream:
		parts = append([][]byte{[]byte(to)}, parts...)
	case zmq.Server, zmq.Peer, zmq.Radio, zmq.Dgram:
		if len(parts) != 1 {
			return fmt.Errorf("a %s sends messages of one part, not %d", p.typ, len(parts))
		}
	}
	switch p.typ {
	case zmq.Server, zmq.Peer:
		id, err := strconv.ParseUint(to, 10, 32)
		if err != nil {
			return fmt.Errorf("the routing id of a %s: %w", p.typ, err)
		}
		return p.socket.SendTo(ctx, uint32(id), parts[0])
	case zmq.Radio:
		return p.socket.SendGroup(ctx, to, parts[0])
	case zmq.Dgram:
		address, err := netip.ParseAddrPort(to)
		if err != nil {
			return fmt.Errorf("the address of a datagram: %w", err)
		}
		return p.socket.SendDatagram(ctx, address, parts[0])
	}
	return p.socket.SendMultipart(ctx, parts)
}

// receive receives a message.
func (p *port) receive(ctx context.Context) (m message, err error) {
	var received zmq.Multipart
	defer received.Close()
	err = p.o.limit(ctx, "nothing was received", func(ctx context.Context) error { return p.socket.RecvMultipartMessage(ctx, &received) })
	if err != nil {
		return m, err
	}
	m.Time = time.Now()
	m.Peer, _ = received[len(received)-1].Property("Peer-Address") // not over inproc
	for _, part := range received.Bytes() {
		m.Parts = append(m.Parts, slices.Clone(part))
	}
	switch p.typ {
	case zmq.Router, zmq.Stream, zmq.Dgram:
		m.ID, m.Parts = m.Parts[0], m.Parts[1:]
	case zmq.Server, zmq.Peer:
		var id uint32
		id, err = received[0].RoutingID()
		m.ID = strconv.AppendUint(nil, uint64(id), 10)
	case zmq.Dish:
		var group string
		group, err = received[0].Group()
		m.ID = text(group)
	}
	p.last = m.ID
	return m, err
}
