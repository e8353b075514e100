#include <errno.h>
#include <limits.h>

#include "shim.h"
#include "shim_internal.h"

#define DONTWAIT 1

static int recv_part(void *s, gz_msg *m, int flags) {
  int rc;
  if (!(m->flags & GZ_LIVE)) {
    if (m->flags & GZ_OURS) gz_drop(m);
    gz.msg_init(&m->raw);
  }
  /* After EINTR nothing was taken. The call itself releases old content. */
  do rc = gz.msg_recv(&m->raw, s, DONTWAIT);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) {
    int err = errno;
    /* After some failures libzmq has released the old content, after others it has
     * not. */
    gz.msg_close(&m->raw);
    gz_clear(m);
    return -err;
  }
  if (flags & GZ_UPSTREAM) gz_msg_own(&m->raw);
  /* The return value is the size, unless the size exceeds INT_MAX. */
  gz_msg_fill(m, rc < INT_MAX ? rc : (int64_t)gz.msg_size(&m->raw));
  return 0;
}

/* Takes the parts that follow a part with GZ_MORE, as many as fit, and returns their
 * number. They are available: libzmq delivers whole messages, and the caller holds the
 * socket from the first part to the last. */
int gz_recv_rest(gz_socket *s, gz_msg *rest, int cap, int flags) {
  int n = 0;
  while (n < cap) {
    int rc = recv_part(s, &rest[n], flags);
    if (rc < 0) {
      gz_msgs_close(rest, n);
      return rc;
    }
    if (!(rest[n++].flags & GZ_MORE)) break;
  }
  return n;
}

/* Receives one whole message: its first part into *first, the others into rest. Returns
 * the number of parts taken. If the last of them has GZ_MORE, rest was too short and
 * gz_recv_rest takes the remainder. The first `old` entries of rest may hold parts of an
 * earlier message, which this call releases. EAGAIN proves that the queue is empty,
 * because libzmq processes its whole mailbox before it returns EAGAIN. */
gz_result gz_recv(gz_socket *s, gz_msg *first, gz_msg *rest, int cap, int old, int flags) {
  int n = 0, rc = recv_part(s, first, flags);
  if (rc == 0 && (first->flags & GZ_MORE)) {
    n = gz_recv_rest(s, rest, cap, flags);
    if (n < 0) { /* only a shutdown interrupts a message: drop all its parts */
      gz_msgs_close(first, 1);
      rc = n;
      n = 0;
    }
  }
  if (old > n) gz_msgs_close(rest + n, old - n);
  return gz_result_of(rc < 0 ? rc : 1 + n, flags & GZ_WANT_EVENTS ? gz_read_events(s) : 0);
}

/* Receives the available messages. Stops after `most` messages (at most 65535), when the
 * parts hold most_bytes bytes, or when msgs[from] to msgs[cap - 1] are full. Returns the
 * number of parts and of whole messages. Stores in starts[1], starts[2], ... where each
 * whole message ends, unless starts is NULL. If the last part has GZ_MORE, gz_recv_rest
 * takes the remainder. Entries before `old` may hold earlier parts, which are
 * released. */
gz_result gz_recv_batch(gz_socket *s, gz_msg *msgs, int cap, int from, int old, int32_t *starts, int most, int64_t most_bytes, int flags) {
  int n = from, whole = 0, begin = from, rc = 0;
  while (n < cap && whole < most) {
    rc = recv_part(s, &msgs[n], flags);
    if (rc < 0) break;
    most_bytes -= msgs[n].size;
    if (msgs[n++].flags & GZ_MORE) continue;
    begin = n;
    whole++;
    if (starts) starts[whole] = n;
    if (most_bytes <= 0) break;
  }
  if (rc < 0 && begin < n) { /* a shutdown, see gz_recv */
    gz_msgs_close(msgs + begin, n - begin);
    n = begin;
  }
  if (old > n) gz_msgs_close(msgs + n, old - n);
  return gz_result_with(n > from ? n - from : rc, flags & GZ_WANT_EVENTS ? gz_read_events(s) : 0, whole);
}
