#include <errno.h>
#include <limits.h>

#include "shim.h"
#include "shim_internal.h"

#define DONTWAIT 1

/* Like a receive, but does not ask libzmq where the content lies, because a message that
 * is forwarded at once is not read. */
static int take_part(void *src, gz_msg *m, int flags) {
  int rc;
  if (!(m->flags & GZ_LIVE)) {
    if (m->flags & GZ_OURS) gz_drop(m);
    gz.msg_init(&m->raw);
  }
  do rc = gz.msg_recv(&m->raw, src, DONTWAIT);
  while (rc < 0 && errno == EINTR);
  int err = errno;
  gz_clear(m);
  if (rc < 0) {
    gz.msg_close(&m->raw);
    return -err;
  }
  if (flags & GZ_UPSTREAM) gz_msg_own(&m->raw);
  m->size = rc < INT_MAX ? rc : (int64_t)gz.msg_size(&m->raw);
  m->flags = (uint16_t)(GZ_LIVE | (gz.msg_more(&m->raw) ? GZ_MORE : 0));
  return 0;
}

/* Receives the parts of one message, at most cap. Returns their number or -errno. Only a
 * shutdown interrupts a message. Its parts are then dropped together. */
static int take_message(void *src, gz_msg *msgs, int cap, int flags) {
  for (int n = 0; n < cap;) {
    int rc = take_part(src, &msgs[n], flags);
    if (rc < 0) {
      gz_msgs_close(msgs, n);
      return rc;
    }
    if (!(msgs[n++].flags & GZ_MORE)) return n;
  }
  return cap;
}

/* Fills in the fields that take_part left out. */
static void fill(gz_msg *msgs, int n) {
  for (int i = 0; i < n; i++)
    if (msgs[i].flags & GZ_LIVE) gz_msg_fill(&msgs[i], msgs[i].size);
}

/* Reports whether the message contains a subscription whose topic is too long. */
static int too_long(gz_msg *msgs, int n, int64_t longest) {
  for (int i = 0; i < n; i++)
    if (msgs[i].size > longest && *(const uint8_t *)gz.msg_data(&msgs[i].raw) <= 1) return 1;
  return 0;
}

/* Reports whether the error means that the message cannot be delivered: its peer left or
 * does not exist. */
static int undeliverable(int rc) { return rc == -GZ_ELOST || rc == -EHOSTUNREACH; }

/* Ends a forward and leaves the first `have` parts of msgs to the caller. */
static int ends(gz_flow *f, int why, int rc, gz_msg *msgs, int have) {
  f->rc = rc;
  f->have = have;
  fill(msgs, have);
  return why;
}

/* Forwards one message of n parts, and a copy to capture unless that is NULL. Returns
 * GZ_FLOW_MOST if the message was sent or dropped. */
static int pass_on(void *dst, void *capture, gz_msg *msgs, int n, gz_msg *owed, gz_flow *f) {
  int64_t size = 0;
  int events = 0, rc, copies = capture ? n : 0, ended = n == 2 && msgs[1].size == 0;
  for (int i = 0; i < n; i++) size += msgs[i].size;
  if ((f->flags | f->flags_capture) & GZ_COPY) fill(msgs, n);
  for (int i = 0; i < copies; i++) {
    rc = gz_msg_clone(&owed[i], &msgs[i]);
    if (rc < 0) {
      gz_msgs_close(owed, i);
      return ends(f, GZ_FLOW_DST, rc, msgs, n);
    }
  }
  if (f->longest && too_long(msgs, n, f->longest))
    rc = -GZ_ELOST;
  else
    rc = gz_send_given(dst, msgs, n, f->flags, &events);
  if (rc < 0 && !undeliverable(rc)) {
    gz_msgs_close(owed, copies);
    if (rc == -EAGAIN) {
      f->events = events;
      return ends(f, GZ_FLOW_FULL, rc, msgs, n);
    }
    if (rc == -GZ_EFSM) { /* a REQ or REP that must receive first */
      f->events = gz_read_events(dst);
      return ends(f, GZ_FLOW_FULL, rc, msgs, n);
    }
    if (!(msgs[0].flags & GZ_LIVE)) { /* shut down within a message */
      gz_msgs_close(msgs, n);
      f->dropped++;
      f->dropped_bytes += size;
      n = 0;
    }
    return ends(f, GZ_FLOW_DST, rc, msgs, n);
  }
  if (rc < 0) {
    gz_msgs_close(msgs, n);
    f->dropped++;
    f->dropped_bytes += size;
  } else {
    f->messages++;
    f->parts += n;
    f->bytes += size;
    f->ended += ended;
  }
  if (!copies) return GZ_FLOW_MOST;
  rc = gz_send_given(capture, owed, copies, f->flags_capture, &events);
  if (rc == 0) return GZ_FLOW_MOST;
  if (rc == -EAGAIN) {
    f->events = events;
    f->owed = copies;
    return ends(f, GZ_FLOW_CAPTURE_FULL, rc, msgs, 0);
  }
  gz_msgs_close(owed, copies);
  return undeliverable(rc) ? GZ_FLOW_MOST : ends(f, GZ_FLOW_CAPTURE, rc, msgs, 0);
}

int gz_forward(gz_socket *src, gz_socket *dst, gz_socket *capture, gz_msg *msgs, int cap, gz_msg *owed, int owed_cap, gz_flow *f) {
  int n = f->have;
  f->owed = f->events = f->rc = 0;
  for (int moved = 0; moved < f->most; moved++) {
    if (n == 0) {
      n = take_message(src, msgs, cap, f->flags_source);
      if (n == -EAGAIN) return ends(f, GZ_FLOW_EMPTY, n, msgs, 0);
      if (n == -GZ_EFSM) { /* must send first; may not have read its mailbox */
        f->events = gz_read_events(src);
        return ends(f, GZ_FLOW_EMPTY, n, msgs, 0);
      }
      if (n < 0) return ends(f, GZ_FLOW_SRC, n, msgs, 0);
      if (msgs[n - 1].flags & GZ_MORE) return ends(f, GZ_FLOW_ROOM, 0, msgs, n);
    }
    if (capture && n > owed_cap) return ends(f, GZ_FLOW_ROOM, 0, msgs, n);
    int why = pass_on(dst, capture, msgs, n, owed, f);
    if (why != GZ_FLOW_MOST) return why;
    n = 0;
  }
  return ends(f, GZ_FLOW_MOST, 0, msgs, n);
}
