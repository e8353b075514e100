package zmq

import (
	"encoding/pem"
	"strings"
	"syscall"

	"github.com/go-zmq/go-zmq/internal/libzmq"
)

func checkDisconnectMsg(_ *Socket, o *optionSpec, _ optionValue) error {
	if libzmq.OlderThan(4, 3, 5) {
		return o.fail(opSet, syscall.ENOTSUP, "before version 4.3.5 libzmq crashes if a peer disconnects while the socket is being closed; %s", needText(o.needs))
	}
	return nil
}

// checkOnSystem tries a value that libzmq stores unchecked. With a wrong value it would abort
// the process at a later connection. A libzmq without the option refuses every value.
func checkOnSystem(_ *Socket, o *optionSpec, v optionValue) error {
	if !libzmq.Has(needsDraft) {
		return nil
	}
	if err := trySocketOption(o.number, int(v.n)); err != nil {
		return o.fail(opSet, errnoOf(err), "the system does not let this process use the value %d, and libzmq would abort: %v; grant CAP_NET_ADMIN or use a smaller value", v.n, err)
	}
	return nil
}

// checkPEM refuses text that libzmq would store unchecked, and then abort at a listener.
func checkPEM(_ *Socket, o *optionSpec, v optionValue) error {
	wanted := "PRIVATE KEY"
	if o.number == numWSSCert {
		wanted = "CERTIFICATE"
	}
	if block, _ := pem.Decode(v.b); libzmq.Has("WSS") && (block == nil || !strings.HasSuffix(block.Type, wanted)) {
		return o.fail(opSet, syscall.EINVAL, "the value must be PEM text that begins with a %s", wanted)
	}
	return nil
}
