package machine

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

// Linux's numbers of capabilities, and of TIPC's address family.
const (
	capNetBindService = 10
	capNetRaw         = 13
	familyTIPC        = 30
)

// Missing returns what this process lacks for a transport, and how to get it; with a
// port, for binding that port. Empty: nothing.
func Missing(transport string, port int) string {
	return missing(transport, port, rights{
		effective: capabilities(string(system.content("/proc/self/status"))),
		lowest:    lowestPort(system.line("/proc/sys/net/ipv4/ip_unprivileged_port_start")),
		tipc:      tipc,
	})
}

// rights are what a process may do.
type rights struct {
	effective uint64 // a bit for each capability
	lowest    int    // the first port that everybody may bind
	tipc      func() error
}

func (r rights) has(capability int) bool { return r.effective&(1<<capability) != 0 }

func missing(transport string, port int, r rights) string {
	switch {
	case transport == "pgm" && !r.has(capNetRaw):
		return "pgm takes raw sockets: run it as root or with CAP_NET_RAW, or use epgm, which takes none"
	case transport == "tipc":
		// Reported by the first call that needs it: loading a module is an administrator's.
		if err := r.tipc(); err != nil {
			return fmt.Sprintf("the kernel gives no TIPC socket (%v): load its module, which takes CAP_SYS_MODULE: modprobe tipc", err)
		}
	case port > 0 && port < r.lowest && !r.has(capNetBindService):
		return fmt.Sprintf("binding a port below %d takes CAP_NET_BIND_SERVICE: use a higher port", r.lowest)
	}
	return ""
}

// capabilities reads those that are in effect from a process's status. Where they are
// not to be read, libzmq is the one to say what cannot be done.
func capabilities(status string) uint64 {
	for row := range strings.Lines(status) {
		if digits, ok := strings.CutPrefix(row, "CapEff:"); ok {
			if mask, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 64); err == nil {
				return mask
			}
		}
	}
	return ^uint64(0)
}

func lowestPort(text string) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return 0
}

func tipc() error {
	fd, err := syscall.Socket(familyTIPC, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return syscall.Close(fd)
}
