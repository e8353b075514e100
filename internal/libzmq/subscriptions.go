package libzmq

/*
#include "shim.h"

#cgo noescape gz_count_subscriptions
#cgo nocallback gz_count_subscriptions
*/
import "C"

// CountSubscriptions receives and drops the messages from the peers of an XPUB that
// implements a PUB. It returns the change in the number of subscriptions. rc is 1 if a
// millisecond has passed and there may be more messages, or -errno.
//
// Implements: zmq_msg_recv
func CountSubscriptions(s Socket) (rc int, change int64) {
	var c C.int64_t
	rc = int(C.gz_count_subscriptions(s, &c))
	return rc, int64(c)
}
