#include <errno.h>

#include "shim.h"
#include "shim_internal.h"

#define DONTWAIT 1

/* Notes beside the structure what Go needs to use it without crossing. */
void gz_msg_fill(gz_msg *m) {
  uintptr_t data = (uintptr_t)gz.msg_data(&m->raw);
  uintptr_t self = (uintptr_t)&m->raw;
  m->size = (int64_t)gz.msg_size(&m->raw);
  if (data >= self && data < self + sizeof m->raw) {
    m->offset = (uint32_t)(data - self);
    m->data = 0;
  } else {
    m->offset = 0;
    m->data = data;
  }
  m->flags = GZ_LIVE | (gz.msg_more(&m->raw) ? GZ_MORE : 0);
}

static int recv_part(void *s, gz_msg *m) {
  int rc;
  if (!(m->flags & GZ_LIVE)) gz.msg_init(&m->raw);
  /* EINTR: nothing was taken. Old content is released by the call itself. */
  do rc = gz.msg_recv(&m->raw, s, DONTWAIT);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) {
    int err = errno;
    /* On some failures libzmq has released the old content, on others not. */
    gz.msg_close(&m->raw);
    m->flags = 0;
    m->size = 0;
    m->data = 0;
    m->offset = 0;
    return -err;
  }
  gz_msg_fill(m);
  return 0;
}

/* Takes the parts that follow a part with GZ_MORE, as many as fit, and returns
 * their number. They are there: libzmq hands over whole messages, and the
 * caller holds the socket from the first part to the last. */
int gz_recv_rest(void *s, gz_msg *rest, int cap) {
  int n = 0;
  while (n < cap) {
    int rc = recv_part(s, &rest[n]);
    if (rc < 0) {
      gz_msgs_close(rest, n);
      return rc;
    }
    if (!(rest[n++].flags & GZ_MORE)) break;
  }
  return n;
}

/* Receives one whole message: its first part into *first, the others into rest.
 * Returns the number of parts taken; when the last of them still has GZ_MORE,
 * rest was too short and gz_recv_rest takes the remainder. The first `old`
 * entries of rest may hold parts of an earlier message: they are released in
 * this crossing. An empty queue is certain: libzmq has processed its whole
 * mailbox before it says EAGAIN. */
gz_result gz_recv(void *s, gz_msg *first, gz_msg *rest, int cap, int old, int how) {
  int n = 0, rc = recv_part(s, first);
  if (rc == 0 && (first->flags & GZ_MORE)) {
    n = gz_recv_rest(s, rest, cap);
    if (n < 0) { /* only a shutdown interrupts a message: its parts are dropped together */
      gz_msgs_close(first, 1);
      rc = n;
      n = 0;
    }
  }
  if (old > n) gz_msgs_close(rest + n, old - n);
  return gz_result_of(rc < 0 ? rc : 1 + n, how & GZ_WANT_EVENTS ? gz_read_events(s) : 0);
}
