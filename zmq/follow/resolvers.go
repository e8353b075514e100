package follow

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const errNotConnected = syscall.ENOENT

// File resolves to the endpoints in a file, one a line. Blank lines and those that begin with #
// do not count. Replace the file by renaming a new one over it, because a file that is read
// while it is written looks complete.
type File struct {
	Path     string
	Interval time.Duration // how often the file is read; 0: every second
}

// Resolve reads the file.
func (f *File) Resolve(context.Context) (endpoints []string, err error) {
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("follow: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			endpoints = append(endpoints, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("follow: %s: %w", f.Path, err)
	}
	return endpoints, nil
}

// Refresh returns how often the file is read.
func (f *File) Refresh() time.Duration { return positive(f.Interval, defaultRefresh) }

// The time that an answer of DNS is good for is at least and at most this, and unknownTTL if
// it does not come from DNS, as with a line of /etc/hosts.
const (
	minTTL     = time.Second
	maxTTL     = 5 * time.Minute
	unknownTTL = 30 * time.Second
)

// DNS resolves to a tcp endpoint for each IPv4 and IPv6 address of a host, such as a headless
// service of Kubernetes. The socket needs the option IPv6 to connect to IPv6 addresses.
//
// A name that does not exist, or has no address, is an error, and Follow keeps the
// connections that it has: a service that was scaled to zero looks the same as a server that
// lost its data.
type DNS struct {
	Endpoint string        // the transport, the host and the port, such as "tcp://orders:5555"
	IPv4     bool          // only IPv4 addresses
	Interval time.Duration // how often the host is looked up; 0: by the TTL of the answer, from 1 s to 5 minutes
	Resolver *net.Resolver // nil: that of the system's configuration

	ttl atomic.Int64
}

// Resolve looks up the host.
func (d *DNS) Resolve(ctx context.Context) (endpoints []string, err error) {
	transport, address, ok := strings.Cut(d.Endpoint, "://")
	host, port, err := net.SplitHostPort(address)
	if !ok || err != nil {
		return nil, fmt.Errorf("follow: endpoint %q: it needs a transport, a host and a port, such as \"tcp://orders:5555\"", d.Endpoint)
	}
	network := "ip"
	if d.IPv4 {
		network = "ip4"
	}
	listen, resolver := heard(d.Resolver)
	addresses, err := resolver.LookupNetIP(ctx, network, host)
	d.ttl.Store(int64(listen.ttl()))
	if err != nil {
		return nil, fmt.Errorf("follow: %w", err)
	}
	for _, a := range addresses {
		endpoints = append(endpoints, transport+"://"+net.JoinHostPort(a.Unmap().String(), port))
	}
	return endpoints, nil
}

// Refresh returns how long the last answer is good for.
func (d *DNS) Refresh() time.Duration { return positive(d.Interval, time.Duration(d.ttl.Load())) }

// SRV resolves to a tcp endpoint for each target of an SRV record, with the port that the
// record gives. Priorities and weights do not count: the socket is connected to all targets. libzmq
// resolves the host of a target when it connects.
type SRV struct {
	Name     string        // such as "_orders._tcp.shop.svc.cluster.local"
	Interval time.Duration // how often the name is looked up; 0: by the TTL of the answer, from 1 s to 5 minutes
	Resolver *net.Resolver // nil: that of the system's configuration

	ttl atomic.Int64
}

// Resolve looks up the name.
func (s *SRV) Resolve(ctx context.Context) (endpoints []string, err error) {
	listen, resolver := heard(s.Resolver)
	_, records, err := resolver.LookupSRV(ctx, "", "", s.Name)
	s.ttl.Store(int64(listen.ttl()))
	if err != nil {
		return nil, fmt.Errorf("follow: %w", err)
	}
	for _, r := range records {
		host := strings.TrimSuffix(r.Target, ".")
		endpoints = append(endpoints, "tcp://"+net.JoinHostPort(host, strconv.Itoa(int(r.Port))))
	}
	return endpoints, nil
}

// Refresh returns how long the last answer is good for.
func (s *SRV) Refresh() time.Duration { return positive(s.Interval, time.Duration(s.ttl.Load())) }

// positive returns the interval that the program chose, or another one.
func positive(chosen, other time.Duration) time.Duration {
	if chosen > 0 {
		return chosen
	}
	return other
}
