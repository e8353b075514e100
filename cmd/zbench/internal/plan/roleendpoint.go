package plan

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// roleTransports are libzmq's, with how zmq_has calls them; "": every libzmq has it.
var roleTransports = map[string]string{
	"tcp": "", "ipc": "ipc", "ws": "WS", "wss": "WSS", "tipc": "tipc", "vmci": "vmci",
	"pgm": "pgm", "epgm": "pgm", "norm": "norm", "udp": "",
}

// checkEndpoints looks at all endpoints.
func (r *Role) checkEndpoints(problems *Problems, facts Facts) {
	if r.Verb != Proxy {
		if r.Bind && r.Connect {
			problems.add("--bind and --connect exclude each other: choose one")
		}
		r.checkEndpoint(problems, facts, "endpoint", r.Endpoint, r.Binds())
		return
	}
	r.checkEndpoint(problems, facts, "frontend", r.Frontend, !r.FrontendConnect)
	r.checkEndpoint(problems, facts, "backend", r.Backend, !r.BackendConnect)
	if r.Capture != "" {
		r.checkEndpoint(problems, facts, "capture", r.Capture, true)
	}
	for i, a := range []string{r.Frontend, r.Backend, r.Capture} {
		rest := []string{r.Frontend, r.Backend, r.Capture}[i+1:]
		if a != "" && !strings.Contains(a, "*") && slices.Contains(rest, a) {
			problems.add("%s is there twice: each side has an endpoint of its own", a)
		}
	}
}

func (r *Role) checkEndpoint(problems *Problems, facts Facts, flag, endpoint string, bind bool) {
	if endpoint == "" {
		problems.add("--%s is missing: name where the peers are, or come to, such as tcp://host:5555 or tcp://*:5555", flag)
		return
	}
	transport, address, ok := strings.Cut(endpoint, "://")
	if !ok || address == "" {
		problems.add("--%s %s: an endpoint is transport://address, such as tcp://host:5555", flag, endpoint)
		return
	}
	capability, known := roleTransports[transport]
	switch {
	case transport == "inproc":
		problems.add("--%s %s: inproc lives inside one context; use ipc or tcp", flag, endpoint)
		return
	case !known:
		names := make([]string, 0, len(roleTransports))
		for name := range roleTransports {
			names = append(names, name)
		}
		slices.Sort(names)
		if near := nearest(transport, names); near != "" {
			problems.add("--%s %s: unknown transport %q; did you mean %q?", flag, endpoint, transport, near)
			return
		}
		problems.add("--%s %s: unknown transport %q; use one of %s", flag, endpoint, transport, strings.Join(names, " "))
		return
	case capability != "" && !facts.Has(capability):
		problems.add("--%s %s: transport %s needs a libzmq that was built with it (%q)", flag, endpoint, transport, capability)
	case transport == "udp" && r.Pattern != "radiodish":
		problems.add("--%s %s: udp is for radiodish", flag, endpoint)
	case strings.HasSuffix(transport, "pgm") && r.Pattern != "pubsub":
		problems.add("--%s %s: %s is for pubsub", flag, endpoint, transport)
	case facts.Missing != nil:
		port := 0
		if bind && slices.Contains(withPorts, transport) {
			port = portOf(address)
		}
		if why := facts.Missing(transport, port); why != "" {
			problems.add("--%s %s: %s", flag, endpoint, why)
		}
	}
	if !bind && (transport == "tcp" || transport == "ws" || transport == "wss") {
		host := address[:max(strings.LastIndexByte(address, ':'), 0)]
		if strings.HasSuffix(address, ":*") || strings.HasSuffix(address, ":0") || host == "*" || host == "0.0.0.0" || host == "[::]" {
			problems.add("--%s %s: that is an address to bind; to connect, name the peer's host and port", flag, endpoint)
		}
	}
	if transport == "ipc" {
		checkPath(problems, flag, address)
	}
}

// withPorts are the transports whose addresses end in a port that the system gives.
var withPorts = []string{"tcp", "udp", "ws", "wss"}

// portOf returns the port of an address; 0: none that is known. Behind one of ws comes
// a path.
func portOf(address string) int {
	address, _, _ = strings.Cut(address, "/")
	port, err := strconv.Atoi(address[strings.LastIndexByte(address, ':')+1:])
	if err != nil {
		return 0
	}
	return port
}

// checkPath looks at the path of a local socket. "@" begins an abstract one, which is
// no file.
func checkPath(problems *Problems, flag, path string) {
	if len(path) > longestPath {
		problems.add("--%s ipc://%s: the path is longer than the %d bytes that the system takes; use a shorter one", flag, path, longestPath)
		return
	}
	if path == "*" || strings.HasPrefix(path, "@") {
		return
	}
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket == 0 {
		problems.add("--%s ipc://%s: there is a file with this name that is no socket; use another name", flag, path)
	}
}
