package zmqtest

import (
	"errors"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy is a bad network between two sockets: it passes TCP connections on to a target, and
// delays, slows, splits and holds back their data, or ends them. Its methods may be called
// from any goroutine, apply to open and later connections alike, and do not block.
//
// On Linux each connection to the target comes from a loopback address of its own, so that
// the target can tell them apart.
type Proxy struct {
	listener *net.TCPListener
	target   string
	group    sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond
	links   map[*link]struct{}
	ended   int
	closed  bool
	network network
}

// network is how the data passes. The zero value is a good network.
type network struct {
	delay time.Duration
	rate  int // bytes per second; 0: no limit
	split int // bytes at a time; 0: no limit
	hole  bool
}

// A link is a connection through the proxy.
type link struct {
	near, far *net.TCPConn
	broken    bool
}

// made counts the links of all proxies, so that each has its own address.
var made atomic.Uint32

// NewProxy returns a proxy to target, which is a tcp endpoint or a host:port. It need not
// exist yet: the proxy connects to it once for each connection that it accepts. The proxy is
// closed with the test.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	target = strings.TrimPrefix(target, "tcp://")
	if _, _, err := net.SplitHostPort(target); err != nil {
		t.Fatalf("proxy to %q: %v; pass a tcp endpoint or a host:port", target, err)
	}
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, target: target, links: map[*link]struct{}{}}
	p.changed = sync.NewCond(&p.mu)
	p.group.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Endpoint returns the endpoint to connect to, such as "tcp://127.0.0.1:41234".
func (p *Proxy) Endpoint() string { return "tcp://" + p.listener.Addr().String() }

// Delay makes each piece of data wait, in each direction. 0 ends it.
func (p *Proxy) Delay(d time.Duration) { p.set(func() { p.network.delay = d }) }

// Rate limits each direction of each connection to about this many bytes per second. 0 ends
// it.
func (p *Proxy) Rate(bytesPerSecond int) { p.set(func() { p.network.rate = bytesPerSecond }) }

// Split limits how many bytes are written at a time. 0 ends it.
func (p *Proxy) Split(n int) { p.set(func() { p.network.split = n }) }

// BlackHole holds back all data in both directions until Restore. The connections stay open,
// as when packets are dropped: neither side learns of it from the network.
func (p *Proxy) BlackHole() { p.set(func() { p.network.hole = true }) }

// Restore makes the network good again. Data that BlackHole held back is passed on.
func (p *Proxy) Restore() { p.set(func() { p.network = network{} }) }

// Cut ends all connections with a reset, on both sides, and returns how many. New connections
// are accepted.
func (p *Proxy) Cut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.links)
	for l := range p.links {
		p.end(l)
	}
	return n
}

// Connections returns how many connections to the target are open and how many have ended, for
// any reason.
func (p *Proxy) Connections() (open, ended int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links), p.ended
}

func (p *Proxy) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.changed.Broadcast()
}

func (p *Proxy) close() {
	_ = p.listener.Close()
	p.set(func() { p.closed = true })
	p.Cut()
	p.group.Wait()
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.AcceptTCP()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as a lack of descriptors, which may pass
			time.Sleep(time.Millisecond)
			continue
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

// end breaks a link. The caller holds p.mu.
func (p *Proxy) end(l *link) {
	if l.broken {
		return
	}
	l.broken = true
	delete(p.links, l)
	p.ended++
	hangUp(l.near)
	hangUp(l.far)
	p.changed.Broadcast()
}

// hangUp closes a connection with a reset. Errors do not matter, because the connection is not
// used again.
func hangUp(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// pass copies data from one side to the other until the link ends.
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
			way, ok := p.way(l)
			if !ok {
				return
			}
			piece := rest
			if way.split > 0 {
				piece = rest[:min(way.split, len(rest))]
			}
			if way.rate > 0 {
				piece = piece[:min(max(way.rate/100, 1), len(piece))] // at most 10 ms' worth
				way.delay += time.Duration(len(piece)) * time.Second / time.Duration(way.rate)
			}
			if way.delay > 0 {
				time.Sleep(way.delay)
			}
			if _, err := to.Write(piece); err != nil {
				return
			}
			rest = rest[len(piece):]
		}
	}
}

// way waits while the proxy holds data back, and returns how the network is now.
func (p *Proxy) way(l *link) (n network, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.network.hole && !l.broken {
		p.changed.Wait()
	}
	return p.network, !l.broken
}
