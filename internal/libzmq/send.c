#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"
#include "shim_internal.h"

#define DONTWAIT 1
#define SNDMORE 2
#define OPT_EVENTS 15

/* ZMQ_EVENTS makes libzmq process every command in the socket's mailbox, which
 * the throttled look at the start of a send does not. */
int gz_read_events(gz_socket *s) {
  int events = 0, rc;
  size_t len = sizeof events;
  do rc = gz.getsockopt(s, OPT_EVENTS, &events, &len);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return errno == GZ_ETERM ? GZ_POLLTERM : 0;
  return events & (GZ_POLLIN | GZ_POLLOUT);
}

gz_result gz_events(gz_socket *s) { return gz_result_of(0, gz_read_events(s)); }

static int send_bytes(void *s, const void *p, int64_t n, int flags) {
  int rc;
  do rc = gz.send(s, n ? p : "", (size_t)n, flags | DONTWAIT);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Whether unseen content is copied when it is sent: bytes that are only looked at,
 * what is too short to be worth lending, and all where libzmq loses memory. */
static int copied(const gz_msg *m, int flags) {
  const gz_buffer *b = gz_buffer_of(m);
  return !b || m->size < b->copy_below || (flags & GZ_COPY);
}

/* So short that libzmq needs no memory for a copy: 33 bytes in current versions. */
enum { NO_MEMORY = 29 };

/* Makes a part something whose sending needs no more memory: without memory for
 * the last part of a message, the first would already be on its way. */
static int prepare(gz_msg *m, int flags) {
  if (!gz_unseen(m)) return (flags & GZ_COPY) && m->data ? gz_msg_copy_out(m) : 0;
  if (!copied(m, flags)) return gz_msg_lend(m);
  return m->size > NO_MEMORY || (flags & GZ_FRAGILE) ? gz_msg_copy_out(m) : 0;
}

/* Sends m and leaves it empty, or leaves it as it was. */
static int send_msg(void *s, gz_msg *m, int flags) {
  int rc;
  if (gz_unseen(m)) {
    rc = send_bytes(s, (void *)m->data, m->size, flags);
    if (rc == 0) gz_drop(m);
    return rc;
  }
  if (!(m->flags & GZ_LIVE)) {
    gz.msg_init(&m->raw);
    m->flags = GZ_LIVE;
  }
  do rc = gz.msg_send(&m->raw, s, flags | DONTWAIT);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  gz_clear(m);
  return 0;
}

/* A DGRAM that has lost its UDP socket, or never had one, closes what it is to send
 * and reports a failure: whoever touches the message again ends the process, and so
 * does zmq_send itself, which is why bytes are copied into messages before (prepare).
 * A copy fails without harm if its source is no message any more. */
static int check_gone(gz_msg *m, int rc) {
  zmq_msg_t copy;
  if (!(m->flags & GZ_LIVE)) return rc;
  gz.msg_init(&copy);
  if (gz.msg_copy(&copy, &m->raw) < 0) {
    gz_clear(m);
    return -GZ_EUNBOUND;
  }
  gz.msg_close(&copy);
  return rc;
}

/* A message to be sent: the structures of its parts, which lie in a row, or else
 * where the list says. */
struct parts {
  gz_msg *row, **list;
  int n;
};

static inline gz_msg *part(const struct parts *m, int i) { return m->row ? &m->row[i] : m->list[i]; }

/* All parts in one go. Only the first can meet a full queue, and then nothing
 * was sent. EAGAIN on a later one means that the peer left: libzmq has thrown
 * away what came before and throws away what follows up to the message's end.
 * The rest is offered so that this end is reached, else the next message would
 * be swallowed too. PAIR has no such mode: a new peer would get the tail as a
 * message of its own, so there the rest is kept back. */
static int send_all(void *s, const struct parts *m, int flags) {
  int lost = 0;
  for (int i = 0; i < m->n; i++) {
    int rc = send_msg(s, part(m, i), i < m->n - 1 ? SNDMORE : 0);
    if (rc < 0 && (flags & GZ_FRAGILE)) rc = check_gone(part(m, i), rc);
    if (rc == 0 || lost) continue;
    if (i == 0) return rc;
    if (rc == -GZ_ETERM) return rc;
    if (flags & GZ_NO_FINISH) return -GZ_ELOST;
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
static int try_message(void *s, const struct parts *m, int flags, int *events) {
  int rc, most = flags & GZ_INEXACT ? 1 : 3;
  for (int tries = 0;; tries++) {
    rc = send_all(s, m, flags);
    if (rc != -EAGAIN || tries == most) return rc;
    *events = gz_read_events(s);
    if (*events & GZ_POLLTERM) return -GZ_ETERM;
    if (!(*events & GZ_POLLOUT)) return rc;
  }
}

static gz_result send_message(void *s, const struct parts *m, int flags) {
  int events = 0, rc = try_message(s, m, flags, &events);
  if ((flags & GZ_WANT_EVENTS) && rc != -GZ_ETERM) events = gz_read_events(s);
  return gz_result_of(rc, events);
}

/* Makes a part of bytes. All parts are made before the first is sent: without
 * memory for the last one, the first would already be on its way. */
static int make_part(gz_msg *m, const uint8_t *p, int64_t n) {
  if (gz.msg_init_size(&m->raw, (size_t)n) < 0) return -errno;
  m->flags = GZ_LIVE;
  if (n) memcpy(gz.msg_data(&m->raw), p, (size_t)n);
  return 0;
}

static gz_result send_parts(void *s, const uint8_t *const *p, const int64_t *lens, int n, int flags) {
  gz_msg made[4];
  int rc = 0, i = 0;
  for (; i < n && rc == 0; i++) {
    made[i].flags = 0;
    rc = make_part(&made[i], p[i], lens[i]);
  }
  const struct parts m = {made, NULL, n};
  gz_result r = rc < 0 ? gz_result_of(rc, 0) : send_message(s, &m, flags);
  if ((int32_t)r < 0) gz_msgs_close(made, i);
  return r;
}

/* For a part by itself zmq_send does all that in one call. */
gz_result gz_send1(gz_socket *s, const uint8_t *p, int64_t n, int flags) {
  int rc = send_bytes(s, p, n, 0);
  if (rc == -EAGAIN) return send_parts(s, &p, &n, 1, flags);
  return gz_result_of(rc, flags & GZ_WANT_EVENTS ? gz_read_events(s) : 0);
}

gz_result gz_send2(gz_socket *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, int flags) {
  const uint8_t *const p[] = {p0, p1};
  const int64_t lens[] = {n0, n1};
  return send_parts(s, p, lens, 2, flags);
}

gz_result gz_send3(gz_socket *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2, int flags) {
  const uint8_t *const p[] = {p0, p1, p2};
  const int64_t lens[] = {n0, n1, n2};
  return send_parts(s, p, lens, 3, flags);
}

gz_result gz_send4(gz_socket *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2,
                   const uint8_t *p3, int64_t n3, int flags) {
  const uint8_t *const p[] = {p0, p1, p2, p3};
  const int64_t lens[] = {n0, n1, n2, n3};
  return send_parts(s, p, lens, 4, flags);
}

/* Any number of parts: bytes one after the other in flat, with their lengths;
 * a length of -1-i stands for given[i]. The scratch memory of a longer message
 * is taken from the heap. */
gz_result gz_send_list(gz_socket *s, const uint8_t *flat, const int64_t *lens, int n, gz_msg *given, int flags) {
  enum { FEW = 8 };
  gz_msg few[FEW], *made = few, *few_msgs[FEW], **msgs = few_msgs;
  if (n > FEW) {
    made = malloc((size_t)n * sizeof *made);
    msgs = malloc((size_t)n * sizeof *msgs);
  }
  int rc = made && msgs ? 0 : -ENOMEM, i = 0;
  for (; i < n && rc == 0; i++) {
    made[i].flags = 0;
    if (lens[i] < 0) {
      msgs[i] = &given[-1 - lens[i]];
      rc = prepare(msgs[i], flags);
      continue;
    }
    msgs[i] = &made[i];
    rc = make_part(&made[i], flat, lens[i]);
    flat += lens[i];
  }
  const struct parts m = {NULL, msgs, n};
  gz_result r = rc < 0 ? gz_result_of(rc, 0) : send_message(s, &m, flags);
  if ((int32_t)r < 0) gz_msgs_close(made, i);
  if (n > FEW) {
    free(made);
    free(msgs);
  }
  return r;
}

/* One message whose parts are given. By itself, what is to be copied is left to
 * zmq_send. */
int gz_send_given(gz_socket *s, gz_msg *given, int n, int flags, int *events) {
  if (n > 1 || !gz_unseen(given) || !copied(given, flags)) {
    for (int i = 0; i < n; i++) {
      int rc = prepare(&given[i], flags);
      if (rc < 0) return rc;
    }
  }
  const struct parts m = {given, NULL, n};
  return try_message(s, &m, flags, events);
}

/* Messages as they are, without a copy. */
gz_result gz_send_msgs(gz_socket *s, gz_msg *given, int n, int flags) {
  int events = 0, rc = gz_send_given(s, given, n, flags, &events);
  if ((flags & GZ_WANT_EVENTS) && rc != -GZ_ETERM) events = gz_read_events(s);
  return gz_result_of(rc, events);
}

/* A part of bytes, and behind it a message as it is. */
gz_result gz_send_with_prefix(gz_socket *s, const uint8_t *p, int64_t n, gz_msg *m, int flags) {
  gz_msg first;
  gz_msg *list[] = {&first, m};
  const struct parts both = {NULL, list, 2};
  int events = 0;
  gz_msg_view(&first, p, n);
  int rc = prepare(&first, flags);
  if (rc == 0) rc = prepare(m, flags);
  if (rc == 0) rc = try_message(s, &both, flags, &events);
  gz_drop(&first);
  if ((flags & GZ_WANT_EVENTS) && rc != -GZ_ETERM) events = gz_read_events(s);
  return gz_result_of(rc, events);
}

/* n messages, one after the other: message i has the parts from starts[i] to
 * starts[i + 1]. Returns the number of messages that are gone, and of those sent, or
 * -errno if not even the first could be sent. What stopped it after that will stop
 * the next call as well. A message that was lost (GZ_LOST) is gone, but not sent. */
gz_result gz_send_batch(gz_socket *s, gz_msg *msgs, const int32_t *starts, int n, gz_traffic *traffic, int flags) {
  int gone = 0, sent = 0, events = 0, lost = 0, rc = 0;
  while (gone < n && !lost) {
    gz_msg *m = msgs + starts[gone];
    int parts = starts[gone + 1] - starts[gone];
    int64_t bytes = 0;
    for (int i = 0; i < parts; i++) bytes += m[i].size;
    int ended = parts == 2 && m[1].size == 0;
    rc = gz_send_given(s, m, parts, flags, &events);
    if (rc == -GZ_ELOST) {
      gz_msgs_close(m, parts);
      lost = GZ_LOST;
    } else if (rc < 0) {
      break;
    } else {
      sent++;
      traffic->parts += parts;
      traffic->bytes += bytes;
      traffic->ended += ended;
    }
    gone++;
  }
  if ((flags & GZ_WANT_EVENTS) && rc != -GZ_ETERM) events = gz_read_events(s);
  return gz_result_with(gone ? gone : rc, events | lost, sent);
}

/* One message of those that lie packed from p to end: a part is its length, times
 * two and plus one if another part follows, in 8 bytes, and its bytes. Sets *next to
 * the message behind it, *parts to the number of its parts, and *last to the length of
 * the last one. */
static int send_one_packed(void *s, const uint8_t *p, const uint8_t *end, const uint8_t **next, int *parts, uint64_t *last, int flags,
                           int *events) {
  enum { FEW = 8 };
  gz_msg few[FEW], *row = few;
  uint64_t head;
  int n = 0, rc;
  memcpy(&head, p, sizeof head);
  if (!(head & 1)) {
    p += sizeof head;
    *next = p + (head >> 1);
    *parts = 1;
    *last = head >> 1;
    rc = send_bytes(s, p, (int64_t)(head >> 1), 0);
    if (rc != -EAGAIN) return rc;
    gz_msg_view(row, p, (int64_t)(head >> 1));
    n = 1;
  } else {
    const uint8_t *q = p;
    for (head = 1; head & 1 && q < end; q += head >> 1, n++) {
      memcpy(&head, q, sizeof head);
      q += sizeof head;
    }
    *next = q;
    *parts = n;
    *last = head >> 1;
    if (n > FEW) row = malloc((size_t)n * sizeof *row);
    if (!row) return -ENOMEM;
    for (int i = 0; i < n; i++) {
      memcpy(&head, p, sizeof head);
      p += sizeof head;
      gz_msg_view(&row[i], p, (int64_t)(head >> 1));
      p += head >> 1;
    }
  }
  rc = gz_send_given(s, row, n, flags, events);
  if (rc < 0) gz_msgs_close(row, n);
  if (row != few) free(row);
  return rc;
}

/* As gz_send_batch, for messages that lie packed; *gone is the number of bytes of
 * those that are gone. */
gz_result gz_send_packed(gz_socket *s, const uint8_t *p, int64_t len, int64_t *gone, gz_traffic *traffic, int flags) {
  const uint8_t *begin = p, *end = p + len, *next = p;
  int messages = 0, sent = 0, parts = 0, events = 0, lost = 0, rc = 0;
  uint64_t last = 0;
  while (p < end && !lost) {
    rc = send_one_packed(s, p, end, &next, &parts, &last, flags, &events);
    if (rc == -GZ_ELOST) {
      lost = GZ_LOST;
    } else if (rc < 0) {
      break;
    } else {
      sent++;
      traffic->parts += parts;
      traffic->bytes += next - p - parts * (int64_t)sizeof(uint64_t);
      traffic->ended += parts == 2 && last == 0;
    }
    messages++;
    p = next;
  }
  *gone = p - begin;
  if ((flags & GZ_WANT_EVENTS) && rc != -GZ_ETERM) events = gz_read_events(s);
  return gz_result_with(messages ? messages : rc, events | lost, sent);
}
