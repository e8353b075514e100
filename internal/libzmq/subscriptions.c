#define _GNU_SOURCE
#include <errno.h>

#include "shim.h"
#include "shim_internal.h"
#include "system.h"

#define DONTWAIT 1

/* Receives and drops the messages from the peers of a PUB, like libzmq does for a native
 * PUB. Adds to *change the number of new subscriptions minus the number of cancelled
 * ones, and ignores other messages. Returns 1 if a millisecond has passed and there may
 * be more messages, or -errno. Saves one cgo call per message. */
int gz_count_subscriptions(gz_socket *s, int64_t *change) {
  enum { BETWEEN_LOOKS = 64 };
  zmq_msg_t m;
  int64_t end = 0;
  int rc, more = 0;
  gz.msg_init(&m);
  for (int i = 1;; i++) {
    do rc = gz.msg_recv(&m, s, DONTWAIT);
    while (rc < 0 && errno == EINTR);
    if (rc < 0) {
      rc = -errno;
      break;
    }
    gz_msg_own(&m);
    int first = !more;
    more = gz.msg_more(&m);
    if (first && !more && rc > 0) {
      uint8_t begins = *(const uint8_t *)gz.msg_data(&m);
      if (begins <= 1) *change += begins ? 1 : -1;
    }
    if (more || i % BETWEEN_LOOKS) continue;
    int64_t t = gz_now();
    if (!end) end = t + 1000000;
    if (t >= end) {
      rc = 1;
      break;
    }
  }
  gz.msg_close(&m);
  return rc;
}
