package libzmq

/*
#include "shim.h"

#cgo noescape gz_count_subscriptions
#cgo nocallback gz_count_subscriptions
*/
import "C"

// CountSubscriptions receives and drops what the peers of an XPUB that stands for a PUB
// have sent, and returns by how much the number of subscriptions has changed. It
// returns 1 if there may be more, after a millisecond, or -errno. zmq_msg_recv.
func CountSubscriptions(s Socket) (rc int, change int64) {
	var c C.int64_t
	rc = int(C.gz_count_subscriptions(s, &c))
	return rc, int64(c)
}
