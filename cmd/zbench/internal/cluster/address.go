package cluster

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

// addressFor returns the address of this host from which packets go to an endpoint:
// the one under which others on that network find it.
func addressFor(endpoint string) (string, error) {
	_, address, _ := strings.Cut(endpoint, "://")
	c, err := net.Dial("udp", address) // sends nothing
	if err != nil {
		return "", fmt.Errorf("no address of this host leads to %s: %w; give one with --advertise", endpoint, err)
	}
	defer c.Close()
	host, _, err := net.SplitHostPort(c.LocalAddr().String())
	return host, err
}

// advertised replaces the address of a bound endpoint by the one for others.
func advertised(endpoint, host string) (string, error) {
	transport, address, _ := strings.Cut(endpoint, "://")
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("%s was bound, which has no port: %w", endpoint, err)
	}
	return transport + "://" + net.JoinHostPort(host, port), nil
}

// CheckAddress reports whether others can reach a host under an address.
func CheckAddress(host string) error {
	if host == "*" || host == "" {
		return fmt.Errorf("%q says no address that others could connect to; give the host's", host)
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		return fmt.Errorf("%s is no address that others could connect to; give the host's", host)
	}
	return nil
}

// UnreachableError says that an agent would be looked for where others cannot come:
// nothing was measured.
type UnreachableError struct{ why string }

func (e *UnreachableError) Error() string { return e.why }

// CheckBind looks at what an agent binds and tells others to connect to. Empty: what
// leads to the coordinator is not known yet.
func CheckBind(bind, advertise string) error {
	if !isLoopback(bind) || advertise == "" || isLoopback(advertise) {
		return nil
	}
	return &UnreachableError{fmt.Sprintf("--bind %s is reached from this host only, and others are told to connect to %s; leave it out, or bind *", bind, advertise)}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// boot returns what is equal for the processes of one machine, and empty where the
// system does not say.
func boot() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// forIPv6 is what sockets need for such an endpoint.
func forIPv6(endpoint string) []zmq.Setting {
	if strings.Contains(endpoint, "[") {
		return []zmq.Setting{zmq.IPv6.To(true)}
	}
	return nil
}
