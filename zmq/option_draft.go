package zmq

import (
	"encoding/pem"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

// draftText says what brings an option of the draft API that libzmq refused as
// unknown.
func draftText(needs string) string {
	with := "its draft API"
	switch {
	case strings.Contains(needs, "WSS"):
		with += ", WebSockets and GnuTLS"
	case strings.Contains(needs, "norm"):
		with += " and NORM"
	}
	version := ""
	if strings.HasSuffix(needs, "4.3.5") {
		version = " 4.3.5 or newer"
	}
	if needs == needsDraft {
		return "make libzmq builds one with " + with + ", to be named by GOZMQ_LIBRARY"
	}
	return "a libzmq" + version + " that was built with " + with + " does"
}

// setDraft sets options whose values libzmq only stores, to abort the process at some
// connection if they are wrong.
func setDraft(s *Socket, o *optionSpec, v optionValue) error {
	switch o.number {
	case numDisconnectMsg:
		if libzmqOlderThan(4, 3, 5) {
			return o.fail(opSet, syscall.ENOTSUP, "before libzmq 4.3.5 it crashes when a peer goes while the socket is being closed; %s", draftText(o.needs))
		}
		return o.store(s, v)
	case numPriority, numBusyPoll:
		// Without the option in libzmq the value does not matter.
		if libzmq.Has(needsDraft) {
			if err := trySocketOption(o.number, int(v.n)); err != nil {
				return o.fail(opSet, errnoOf(err), "the system does not let this process use the value %d, and libzmq would abort: %v; grant CAP_NET_ADMIN, or use a smaller one", v.n, err)
			}
		}
		return o.store(s, v)
	}
	block, _ := pem.Decode(v.b)
	wanted := "PRIVATE KEY"
	if o.number == numWSSCert {
		wanted = "CERTIFICATE"
	}
	if libzmq.Has("WSS") && (block == nil || !strings.HasSuffix(block.Type, wanted)) {
		return o.fail(opSet, syscall.EINVAL, "it takes PEM text that begins with a %s", wanted)
	}
	if err := o.store(s, v); err != nil {
		return err
	}
	if o.number == numWSSCert {
		s.attach.wssCert = string(v.b)
	} else {
		s.attach.wssKey = string(v.b)
	}
	return nil
}

// checkWSS: libzmq aborts when a listener is to use a key or certificate that it does
// not have.
func (c *endpointCheck) checkWSS() error {
	if c.transport == "wss" && c.verb == verbBind && (c.s.attach.wssCert == "" || c.s.attach.wssKey == "") {
		return c.fail(syscall.EINVAL, "a wss listener needs WSSCertPEM and WSSKeyPEM; set them first")
	}
	return nil
}
