package zap

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/go-zmq/go-zmq/zmq"
)

const (
	version = "1.0"

	mechanismNull   = "NULL"
	mechanismPlain  = "PLAIN"
	mechanismCurve  = "CURVE"
	mechanismGSSAPI = "GSSAPI"

	// maxField is the longest request id, domain, routing id, name or password.
	maxField = 255
)

// Request describes a client that wants to connect. Printing it does not show the
// password.
type Request struct {
	RequestID string     // chosen by libzmq, which always sends "1"
	Domain    string     // the server's ZapDomain
	Address   string     // an IP address without a port; for an ipc peer on Linux, a text that ends with its user, group and process IDs
	IP        netip.Addr // Address as an IP address, or the zero Addr if it is none
	RoutingID string     // of the server socket, if it has one
	Mechanism string     // "NULL", "PLAIN", "CURVE" or "GSSAPI"

	User      string // PLAIN
	PublicKey string // CURVE: 40 characters of Z85
	Principal string // GSSAPI

	// A function, because package fmt prints the values of unexported fields.
	password func() string
}

// Password returns the password of a PLAIN client in clear text, or "" in a Decision.
func (r Request) Password() string {
	if r.password == nil {
		return ""
	}
	return r.password()
}

// envelope is the part of a request that a reply needs, even if the rest is malformed.
type envelope struct {
	peer      []byte // the ROUTER's id of the requester
	requestID []byte
	answers   bool // there is an empty frame, after which a reply can be sent
}

// parse parses a message from a ROUTER. Any goroutine of the process can send one, so
// every field is checked.
func parse(parts [][]byte) (envelope, Request, error) {
	var e envelope
	var r Request
	if len(parts) < 2 || len(parts[1]) != 0 {
		return e, r, errors.New("the empty frame of a REQ socket is missing before the request")
	}
	e.peer, e.answers = parts[0], true
	frames := parts[2:]
	if len(frames) >= 2 && len(frames[1]) <= maxField {
		e.requestID = frames[1]
		r.RequestID = string(frames[1])
	}
	if len(frames) < 6 {
		return e, r, fmt.Errorf("the request has %d frames; it needs 6 and the credentials", len(frames))
	}
	if string(frames[0]) != version {
		return e, r, fmt.Errorf("the version is %.20q instead of %s", frames[0], version)
	}
	for i, name := range []string{"request id", "domain", "address", "routing id", "mechanism"} {
		if n := len(frames[1+i]); n > maxField {
			return e, r, fmt.Errorf("the %s has %d bytes, more than %d", name, n, maxField)
		}
	}
	r.Domain, r.Address, r.RoutingID, r.Mechanism = string(frames[2]), string(frames[3]), string(frames[4]), string(frames[5])
	if ip, err := netip.ParseAddr(r.Address); err == nil {
		r.IP = ip.Unmap().WithZone("") // prefixes have no zones
	}
	return e, r, r.parseCredentials(frames[6:])
}

// credentials has the number of frames that follow each mechanism.
var credentials = map[string]int{mechanismNull: 0, mechanismPlain: 2, mechanismCurve: 1, mechanismGSSAPI: 1}

func (r *Request) parseCredentials(frames [][]byte) error {
	want, known := credentials[r.Mechanism]
	if !known {
		mechanism := r.Mechanism
		r.Mechanism = ""
		return fmt.Errorf("unknown mechanism %.20q", mechanism)
	}
	if len(frames) != want {
		return fmt.Errorf("the request has %d frames of credentials for %s, which needs %d", len(frames), r.Mechanism, want)
	}
	switch r.Mechanism {
	case mechanismPlain:
		user, password := string(frames[0]), string(frames[1])
		if len(user) > maxField || len(password) > maxField || strings.ContainsRune(user, 0) {
			return errors.New("the name or the password has more than 255 bytes, or the name has a NUL byte")
		}
		r.User, r.password = user, func() string { return password }
	case mechanismCurve:
		if len(frames[0]) != 32 {
			return fmt.Errorf("the public key has %d bytes instead of 32", len(frames[0]))
		}
		key, err := zmq.Z85Encode(frames[0])
		if err != nil {
			return err
		}
		r.PublicKey = key
	case mechanismGSSAPI:
		principal := string(frames[0])
		if len(principal) > maxField || strings.ContainsRune(principal, 0) {
			return errors.New("the principal has more than 255 bytes, or a NUL byte")
		}
		r.Principal = principal
	}
	return nil
}
