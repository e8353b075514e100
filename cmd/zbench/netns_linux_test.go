package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// host is a network namespace: what runs in it has no network but the test's.
type host struct{ name, address string }

func (h host) in(words ...string) []string {
	return append([]string{"ip", "netns", "exec", h.name}, words...)
}

// networkHosts makes hosts, or skips the test where that cannot be.
func networkHosts(t *testing.T, n int) (hosts []host) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root: run this test with sudo")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("network namespaces need iproute2: scripts/install-iproute2.sh installs it")
	}
	for i := range n {
		h := host{fmt.Sprintf("zbench%d-%d", os.Getpid(), i), fmt.Sprintf("10.99.0.%d", i+1)}
		if out, err := exec.Command("ip", "netns", "add", h.name).CombinedOutput(); err != nil {
			t.Skipf("no network namespaces here: %s", out)
		}
		t.Cleanup(func() { command(t, "ip", "netns", "del", h.name) })
		command(t, h.in("ip", "link", "set", "lo", "up")...)
		hosts = append(hosts, h)
	}
	return hosts
}

func command(t *testing.T, words ...string) {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	require.NoError(t, err, "%v: %s", words, out)
}

// wire connects hosts; what one sends is on its way for its delay. The kernel does
// that with netem; one that does not have it gets a wire of our own.
func wire(t *testing.T, hosts []host, delays []time.Duration) {
	t.Helper()
	probe := exec.Command("ip", "netns", "exec", hosts[0].name, "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "0ms")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Logf("without netem (%s): delays by a wire of the test's own", strings.TrimSpace(string(out)))
		tunnels(t, hosts, delays)
		return
	}
	command(t, hosts[0].in("tc", "qdisc", "del", "dev", "lo", "root")...)
	// The first host has the bridge, too.
	command(t, hosts[0].in("ip", "link", "add", "br0", "type", "bridge")...)
	command(t, hosts[0].in("ip", "link", "set", "br0", "up")...)
	for i, h := range hosts {
		end := fmt.Sprintf("port%d", i)
		command(t, hosts[0].in("ip", "link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", h.name)...)
		command(t, hosts[0].in("ip", "link", "set", end, "master", "br0", "up")...)
		command(t, h.in("ip", "address", "add", h.address+"/24", "dev", "eth0")...)
		command(t, h.in("ip", "link", "set", "eth0", "up")...)
		if delays[i] > 0 {
			command(t, h.in("tc", "qdisc", "add", "dev", "eth0", "root", "netem", "delay", fmt.Sprintf("%dms", delays[i].Milliseconds()))...)
		}
	}
}

// packet is one that is under way.
type packet struct {
	due  time.Time
	data []byte
	to   *os.File
}

// tunnels gives each host a device whose packets come to this process, which gives
// them to the host that they are for.
func tunnels(t *testing.T, hosts []host, delays []time.Duration) {
	t.Helper()
	devices := map[string]*os.File{}
	for _, h := range hosts {
		f, err := tunnel(h)
		require.NoError(t, err)
		devices[h.address] = f
		command(t, h.in("ip", "address", "add", h.address+"/24", "dev", "eth0")...)
		command(t, h.in("ip", "link", "set", "eth0", "up")...)
	}
	var group sync.WaitGroup
	t.Cleanup(func() {
		for _, f := range devices {
			f.Close()
		}
		group.Wait()
	})
	for i, h := range hosts {
		from, delay := devices[h.address], delays[i]
		under := make(chan packet, 1<<12)
		group.Go(func() {
			defer close(under)
			for {
				data := make([]byte, 1<<16)
				n, err := from.Read(data)
				if err != nil {
					return
				}
				// The address that a packet of IPv4 is for.
				if n >= 20 && data[0]>>4 == 4 {
					if to := devices[fmt.Sprintf("%d.%d.%d.%d", data[16], data[17], data[18], data[19])]; to != nil {
						under <- packet{time.Now().Add(delay), data[:n], to}
					}
				}
			}
		})
		group.Go(func() {
			for p := range under {
				time.Sleep(time.Until(p.due))
				_, _ = p.to.Write(p.data) // a packet may be lost: TCP sends it again
			}
		})
	}
}

// tunnel opens a device eth0 in a host. A thread of its own goes there, and ends.
func tunnel(h host) (f *os.File, err error) {
	var group sync.WaitGroup
	group.Go(func() {
		runtime.LockOSThread() // and never unlocks: the thread belongs to the host
		var space *os.File
		if space, err = os.Open(filepath.Join("/run/netns", h.name)); err != nil {
			return
		}
		defer space.Close()
		if err = unix.Setns(int(space.Fd()), unix.CLONE_NEWNET); err != nil {
			return
		}
		var fd int
		if fd, err = unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0); err != nil {
			return
		}
		var request *unix.Ifreq
		if request, err = unix.NewIfreq("eth0"); err == nil {
			request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
			err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
		}
		if err != nil {
			unix.Close(fd)
			return
		}
		f = os.NewFile(uintptr(fd), "/dev/net/tun")
	})
	group.Wait()
	return f, err
}

// Three hosts with a network between them on which everything that the two agents
// send takes 20 ms: a round trip takes 40 and not less, whichever host's clock it is
// taken by; and the clocks, which are one here, are known to within half of the 20
// that an exchange with the coordinator takes.
func TestHostsInNamespaces(t *testing.T) {
	t.Parallel()
	const delay = 20 * time.Millisecond
	hosts := networkHosts(t, 3)
	wire(t, hosts, []time.Duration{0, delay, delay})

	dir := filepath.Join(t.TempDir(), "results")
	join := "tcp://" + hosts[0].address + ":5600" // nobody else is in that network
	c := begin(t, hosts[0].in(), nil, "coordinator", "--expect", "2", "--join-timeout", "1m",
		"-s", "64", "-d", "1s", "-w", "200ms", "-r", "1", "-o", dir)
	var agents []*process
	for _, h := range hosts[1:] {
		agents = append(agents, begin(t, h.in(), nil, "agent", "--join", join))
	}
	c.ends(0)
	for _, a := range agents {
		a.ends(0)
	}

	data, err := record.Load(nil, dir)
	require.NoError(t, err)
	require.Len(t, data.Runs, 2)
	for _, r := range data.Runs {
		require.True(t, r.Valid(), r.Invalid)
		if r.Cell.Verb == record.Lat {
			t.Logf("p50 %v", time.Duration(r.Main().Percentile(50)))
			require.GreaterOrEqual(t, time.Duration(r.Main().Min), 2*delay)
			require.Less(t, time.Duration(r.Main().Percentile(50)), 20*delay)
		}
		for _, p := range r.Agents {
			require.GreaterOrEqual(t, p.Clock.Error, delay/2)
			require.Less(t, p.Clock.Error, 10*delay)
			require.LessOrEqual(t, p.Clock.Offset.Abs(), p.Clock.Error)
		}
	}
	// The addresses that the agents told each other are those of the network.
	require.Regexp(t, `server at tcp://10\.99\.0\.[23]:`, agents[0].said()+agents[1].said())
}
