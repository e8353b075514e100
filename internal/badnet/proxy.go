package badnet

import (
	"errors"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy passes connections on to a target. All its methods may be called by any
// goroutine at any time.
//
// On Linux each connection to the target comes from a loopback address of its own, by
// which the target can tell connections apart.
type Proxy struct {
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
	dead      bool
}

// made counts the links of all proxies, so that no two come from the same address.
var made atomic.Uint32

// New makes a proxy that listens on a port of the loopback interface and connects to
// target, a host:port.
func New(target string) (*Proxy, error) {
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, target: target, links: map[*link]struct{}{}}
	p.changed = sync.NewCond(&p.mu)
	p.group.Go(p.accept)
	return p, nil
}

// Addr is the host:port to connect to.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Delay has everything that is passed on wait for so long, 0 for not at all.
func (p *Proxy) Delay(d time.Duration) { p.set(func() { p.delay = d }) }

// Split has at most n bytes be passed on at a time, 0 for as many as there are.
func (p *Proxy) Split(n int) { p.set(func() { p.split = n }) }

// Blackhole has nothing be passed on, in either direction, until it is called with
// false. Nobody is told.
func (p *Proxy) Blackhole(on bool) { p.set(func() { p.hole = on }) }

func (p *Proxy) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.changed.Broadcast()
}

// Reset ends all connections with a reset, on both sides, and returns how many.
func (p *Proxy) Reset() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.links)
	for l := range p.links {
		p.end(l)
	}
	return n
}

// Breaks returns how many connections have ended so far, for whatever reason.
func (p *Proxy) Breaks() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.breaks
}

// Links returns how many connections there are.
func (p *Proxy) Links() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Close ends the proxy and its connections, and waits for its goroutines. It may be
// called again.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	p.set(func() { p.closed = true })
	p.Reset()
	p.group.Wait()
	return err
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.AcceptTCP()
		if err != nil {
			return // closed
		}
		p.group.Go(func() { p.connect(near) })
	}
}

func (p *Proxy) connect(near *net.TCPConn) {
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
func (p *Proxy) end(l *link) {
	if l.dead {
		return
	}
	l.dead = true
	delete(p.links, l)
	p.breaks++
	hangUp(l.near)
	hangUp(l.far)
	p.changed.Broadcast()
}

// hangUp closes a connection with a reset; the connection is done with, whatever it
// answers.
func hangUp(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// pass passes on what comes from one side, until the link ends.
func (p *Proxy) pass(l *link, from, to *net.TCPConn) {
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
			delay, split, alive := p.way(l)
			if !alive {
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

// way waits while there is a black hole, and says how to go on.
func (p *Proxy) way(l *link) (delay time.Duration, split int, alive bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.hole && !l.dead {
		p.changed.Wait()
	}
	return p.delay, p.split, !l.dead
}
