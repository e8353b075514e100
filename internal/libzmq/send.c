#include <errno.h>

#include "shim.h"
#include "shim_internal.h"

#define DONTWAIT 1
#define SNDMORE 2
#define OPT_EVENTS 15

/* ZMQ_EVENTS makes libzmq process every command in the socket's mailbox, which
 * the throttled look at the start of a send does not. */
int gz_read_events(void *s) {
  int events = 0, rc;
  size_t len = sizeof events;
  do rc = gz.getsockopt(s, OPT_EVENTS, &events, &len);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return errno == GZ_ETERM ? GZ_POLLTERM : 0;
  return events & (GZ_POLLIN | GZ_POLLOUT);
}

gz_result gz_events(void *s) { return gz_result_of(0, gz_read_events(s)); }

static int send_part(void *s, const uint8_t *p, int64_t n, int flags) {
  int rc;
  /* EINTR: the part was not consumed and may be offered again. */
  do rc = gz.send(s, n ? (const void *)p : (const void *)"", (size_t)n, flags | DONTWAIT);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Sends m and leaves it empty, or leaves it as it was. */
static int send_msg(void *s, gz_msg *m, int flags) {
  int rc;
  if (!(m->flags & GZ_LIVE)) {
    gz.msg_init(&m->raw);
    m->flags = GZ_LIVE;
  }
  do rc = gz.msg_send(&m->raw, s, flags | DONTWAIT);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  m->data = 0;
  m->size = 0;
  m->flags = 0;
  m->offset = 0;
  return 0;
}

/* A message to be sent: bytes, structures, or (lens < 0) a mixture of both. */
struct parts {
  const uint8_t *const *p;
  const int64_t *lens;
  const uint8_t *flat;
  gz_msg *msgs;
  int n;
};

static int send_nth(void *s, const struct parts *m, int i, int64_t *at, int flags) {
  if (!m->lens) return send_msg(s, &m->msgs[i], flags);
  if (m->lens[i] < 0) return send_msg(s, &m->msgs[-1 - m->lens[i]], flags);
  if (m->p) return send_part(s, m->p[i], m->lens[i], flags);
  const uint8_t *p = m->flat + *at;
  *at += m->lens[i];
  return send_part(s, p, m->lens[i], flags);
}

/* All parts in one go. Only the first can meet a full queue, and then nothing
 * was sent. EAGAIN on a later one means that the peer left: libzmq has thrown
 * away what came before and throws away what follows up to the message's end.
 * The rest is offered so that this end is reached, else the next message would
 * be swallowed too. PAIR has no such mode: a new peer would get the tail as a
 * message of its own, so there the rest is kept back. */
static int send_all(void *s, const struct parts *m, int how) {
  int64_t at = 0;
  int lost = 0;
  for (int i = 0; i < m->n; i++) {
    int rc = send_nth(s, m, i, &at, i < m->n - 1 ? SNDMORE : 0);
    if (rc == 0 || lost) continue;
    if (i == 0) return rc;
    if (rc == -GZ_ETERM) return rc;
    if (how & GZ_NO_FINISH) return -GZ_ELOST;
    lost = 1;
  }
  return lost ? -GZ_ELOST : 0;
}

/* A failed non-blocking send alone proves nothing: libzmq looks at its mailbox
 * at most once a millisecond there, so room may have been reported and not seen.
 * Reading the events looks for certain; when they say there is room, try again.
 * The bound is for a peer that takes the room away each time: Go comes back
 * after it let others run. Where POLLOUT is always set (GZ_INEXACT) one more try
 * after the look is all that can be known. */
static gz_result send_message(void *s, const struct parts *m, int how) {
  int events = 0, rc, most = how & GZ_INEXACT ? 1 : 3;
  for (int tries = 0;; tries++) {
    rc = send_all(s, m, how);
    if (rc != -EAGAIN || tries == most) break;
    events = gz_read_events(s);
    if (events & GZ_POLLTERM) return gz_result_of(-GZ_ETERM, events);
    if (!(events & GZ_POLLOUT)) break;
  }
  if (how & GZ_WANT_EVENTS) events = gz_read_events(s);
  return gz_result_of(rc, events);
}

gz_result gz_send1(void *s, const uint8_t *p, int64_t n, int how) {
  const struct parts m = {.p = &p, .lens = &n, .n = 1};
  return send_message(s, &m, how);
}

gz_result gz_send2(void *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, int how) {
  const uint8_t *const p[] = {p0, p1};
  const int64_t lens[] = {n0, n1};
  const struct parts m = {.p = p, .lens = lens, .n = 2};
  return send_message(s, &m, how);
}

gz_result gz_send3(void *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2, int how) {
  const uint8_t *const p[] = {p0, p1, p2};
  const int64_t lens[] = {n0, n1, n2};
  const struct parts m = {.p = p, .lens = lens, .n = 3};
  return send_message(s, &m, how);
}

gz_result gz_send4(void *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2,
                   const uint8_t *p3, int64_t n3, int how) {
  const uint8_t *const p[] = {p0, p1, p2, p3};
  const int64_t lens[] = {n0, n1, n2, n3};
  const struct parts m = {.p = p, .lens = lens, .n = 4};
  return send_message(s, &m, how);
}

/* Any number of parts: bytes one after the other in flat, with their lengths;
 * a length of -1-i stands for msgs[i]. */
gz_result gz_send_list(void *s, const uint8_t *flat, const int64_t *lens, int n, gz_msg *msgs, int how) {
  const struct parts m = {.flat = flat, .lens = lens, .msgs = msgs, .n = n};
  return send_message(s, &m, how);
}

/* Messages as they are, without a copy. */
gz_result gz_send_msgs(void *s, gz_msg *msgs, int n, int how) {
  const struct parts m = {.msgs = msgs, .n = n};
  return send_message(s, &m, how);
}
