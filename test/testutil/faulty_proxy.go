package testutil

import (
	"errors"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// FaultyProxy is a TCP proxy that treats its connections like a bad network: it delays data, splits
// it, holds it back and resets connections. Its methods may be called from any goroutine.
//
// On Linux each connection to the target has its own loopback address, so that the target can tell
// connections apart.
type FaultyProxy struct {
	listener *net.TCPListener
	target   string
	group    sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond
	links   map[*link]struct{}
	breaks  int
	hole    bool
	closed  bool
	delay   time.Duration
	split   int
}

// A link is a connection through the proxy.
type link struct {
	near, far *net.TCPConn
	broken    bool
}

// made counts the links of all proxies, so that each has its own address.
var made atomic.Uint32

// NewFaultyProxy creates a proxy that listens on a free loopback port and connects to target, a
// host:port.
func NewFaultyProxy(target string) (*FaultyProxy, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	p := &FaultyProxy{listener: listener, target: target, links: map[*link]struct{}{}}
	p.changed = sync.NewCond(&p.mu)
	p.group.Go(p.accept)
	return p, nil
}

// Addr is the host:port to connect to.
func (p *FaultyProxy) Addr() string { return p.listener.Addr().String() }

// Delay sets how long each piece of data waits.
func (p *FaultyProxy) Delay(d time.Duration) { p.set(func() { p.delay = d }) }

// Split limits how many bytes are written at a time. 0 means no limit.
func (p *FaultyProxy) Split(n int) { p.set(func() { p.split = n }) }

// Blackhole holds back all data in both directions until it is called with false. The connections
// stay open.
func (p *FaultyProxy) Blackhole(on bool) { p.set(func() { p.hole = on }) }

func (p *FaultyProxy) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.changed.Broadcast()
}

// Reset ends all connections with a reset, on both sides, and returns how many.
func (p *FaultyProxy) Reset() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.links)
	for l := range p.links {
		p.end(l)
	}
	return n
}

// Breaks returns how many connections have ended so far, for any reason.
func (p *FaultyProxy) Breaks() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.breaks
}

// Links returns how many connections there are.
func (p *FaultyProxy) Links() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Close ends the proxy and its connections, and waits for its goroutines. It is idempotent.
func (p *FaultyProxy) Close() error {
	err := p.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	p.set(func() { p.closed = true })
	p.Reset()
	p.group.Wait()
	return err
}

func (p *FaultyProxy) accept() {
	for {
		near, err := p.listener.AcceptTCP()
		if err != nil {
			return // closed
		}
		p.group.Go(func() { p.connect(near) })
	}
}

func (p *FaultyProxy) connect(near *net.TCPConn) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	if runtime.GOOS == "linux" {
		n := made.Add(1)
		dialer.LocalAddr = &net.TCPAddr{IP: net.IPv4(127, byte(1+n>>16), byte(n>>8), byte(n))}
	}
	far, err := dialer.Dial("tcp4", p.target)
	if err != nil {
		hangUp(near)
		return
	}
	l := &link{near: near, far: far.(*net.TCPConn)}
	p.mu.Lock()
	p.links[l] = struct{}{}
	if p.closed {
		p.end(l)
	}
	p.mu.Unlock()
	p.group.Go(func() { p.pass(l, l.near, l.far) })
	p.pass(l, l.far, l.near)
}

// end breaks a link. p.mu is held.
func (p *FaultyProxy) end(l *link) {
	if l.broken {
		return
	}
	l.broken = true
	delete(p.links, l)
	p.breaks++
	hangUp(l.near)
	hangUp(l.far)
	p.changed.Broadcast()
}

// hangUp closes a connection with a reset. Errors do not matter, because the connection is not used again.
func hangUp(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// pass copies data from one side to the other until the link ends.
func (p *FaultyProxy) pass(l *link, from, to *net.TCPConn) {
	defer func() {
		p.mu.Lock()
		p.end(l)
		p.mu.Unlock()
	}()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		for rest := buf[:n]; len(rest) > 0; {
			delay, split, ok := p.way(l)
			if !ok {
				return
			}
			if delay > 0 {
				time.Sleep(delay)
			}
			piece := rest
			if split > 0 {
				piece = rest[:min(split, len(rest))]
			}
			if _, err := to.Write(piece); err != nil {
				return
			}
			rest = rest[len(piece):]
		}
	}
}

// way waits while the proxy holds data back. It returns the current settings.
func (p *FaultyProxy) way(l *link) (delay time.Duration, split int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.hole && !l.broken {
		p.changed.Wait()
	}
	return p.delay, p.split, !l.broken
}
