#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"
#include "shim_internal.h"

#define DONTWAIT 1
#define SNDMORE 2

static int send_bytes(void *s, const void *p, int64_t n, int flags) {
  int rc;
  do rc = gz.send(s, n ? p : "", (size_t)n, flags | DONTWAIT);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Reports whether unseen content is copied when it is sent: borrowed bytes, content that
 * is too short to be lent, and all content of a socket that can lose messages. */
static int copied(const gz_msg *m, int flags) {
  const gz_buffer *b = gz_buffer_of(m);
  return !b || m->size < b->copy_below || (flags & GZ_COPY);
}

/* libzmq needs no memory to copy content of at most this size. In current versions the
 * limit is 33 bytes. */
enum { NO_MEMORY = 29 };

/* Prepares a part so that sending it needs no more memory. If memory ran out at the last
 * part of a message, the first would already have been sent. */
static int prepare(gz_msg *m, int flags) {
  if (!gz_unseen(m)) return (flags & GZ_COPY) && m->data ? gz_msg_copy_out(m) : 0;
  if (!copied(m, flags)) return gz_msg_lend(m);
  return m->size > NO_MEMORY || (flags & GZ_FRAGILE) ? gz_msg_copy_out(m) : 0;
}

/* Sends m and empties it. After a failure m is unchanged. */
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

/* A DGRAM that has lost its UDP socket, or never had one, closes the message that it
 * should send and reports a failure. Any later use of the message ends the process.
 * zmq_send itself would use it again, so bytes are first copied into messages (prepare).
 * A copy fails without harm if its source is no longer a message. */
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

/* A message to send. The structures of its parts are in the array row, or else list
 * points to them. */
struct parts {
  gz_msg *row, **list;
  int n;
};

static inline gz_msg *part(const struct parts *m, int i) { return m->row ? &m->row[i] : m->list[i]; }

/* Sends all parts. Only the first can meet a full queue, and then nothing was sent.
 * EAGAIN on a later part means that the peer disconnected. libzmq has then dropped the
 * earlier parts, and drops all parts up to the end of the message. The remaining parts
 * are sent to reach this end, because libzmq would otherwise also drop the next message.
 * PAIR does not drop them: a new peer would receive them as a message, so they are not
 * sent. */
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

/* A failed non-blocking send does not prove that the queue is full. Such a send checks
 * the mailbox at most once per millisecond, and may have missed a command that announces
 * room. Reading the events processes the mailbox. If the events then include POLLOUT, the
 * send is repeated. The number of attempts is limited, because a peer may remove the room
 * each time. Go calls again after it has let other goroutines run. If POLLOUT is always
 * set (GZ_INEXACT), there is one more attempt after reading the events, because further
 * attempts would not prove more. */
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

/* Creates a part from bytes. All parts are created before the first is sent. If memory
 * ran out at the last one, the first would already have been sent. */
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

/* For a single part, zmq_send does all of this in one call. */
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

/* Sends any number of parts. Their bytes are concatenated in flat, with the lengths in
 * lens. A length of -1-i stands for given[i]. The scratch memory of a longer message is
 * allocated on the heap. */
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

/* Sends one message whose parts are given. If a single part is to be copied, zmq_send
 * makes the copy. */
static int send_given(gz_socket *s, gz_msg *given, int n, int flags, int *events) {
  if (n > 1 || !gz_unseen(given) || !copied(given, flags)) {
    for (int i = 0; i < n; i++) {
      int rc = prepare(&given[i], flags);
      if (rc < 0) return rc;
    }
  }
  const struct parts m = {given, NULL, n};
  return try_message(s, &m, flags, events);
}

/* Sends the given parts as one message, without a copy. */
gz_result gz_send_msgs(gz_socket *s, gz_msg *given, int n, int flags) {
  int events = 0, rc = send_given(s, given, n, flags, &events);
  if ((flags & GZ_WANT_EVENTS) && rc != -GZ_ETERM) events = gz_read_events(s);
  return gz_result_of(rc, events);
}

/* Sends up to n messages in order, and stops when they have most_bytes bytes. Message i has
 * the parts from starts[i] to starts[i + 1]. Returns the number of messages that were sent or lost, and the number that were sent,
 * or -errno if not even the first could be sent. The next call meets a later error again.
 * With GZ_LOST the last message was lost. */
gz_result gz_send_batch(gz_socket *s, gz_msg *msgs, const int32_t *starts, int n, int64_t most_bytes, gz_traffic *traffic, int flags) {
  int gone = 0, sent = 0, events = 0, lost = 0, rc = 0;
  while (gone < n && !lost && traffic->bytes < most_bytes) {
    gz_msg *m = msgs + starts[gone];
    int parts = starts[gone + 1] - starts[gone];
    int64_t bytes = 0;
    for (int i = 0; i < parts; i++) bytes += m[i].size;
    int ended = parts == 2 && m[1].size == 0;
    rc = send_given(s, m, parts, flags, &events);
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

/* Makes m refer to borrowed bytes. */
static void view(gz_msg *m, const uint8_t *p, int64_t n) {
  m->raw.opaque[0] = 0;
  m->data = (uintptr_t)p;
  m->size = n;
  m->flags = GZ_OURS;
  m->offset = 0;
}

/* Sends the first of the messages that are packed from p to end. A packed part is a
 * header of 8 bytes followed by its bytes. The header is twice the length, plus one if
 * another part follows. Sets *next to the end of the message, *parts to the number of its
 * parts, and *last to the length of its last part. */
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
    view(row, p, (int64_t)(head >> 1));
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
      view(&row[i], p, (int64_t)(head >> 1));
      p += head >> 1;
    }
  }
  rc = send_given(s, row, n, flags, events);
  if (rc < 0) gz_msgs_close(row, n);
  if (row != few) free(row);
  return rc;
}

/* Like gz_send_batch, for packed messages, of which it sends up to n. *gone is the number of bytes of the messages
 * that were sent or lost. */
gz_result gz_send_packed(gz_socket *s, const uint8_t *p, int64_t len, int n, int64_t most_bytes, int64_t *gone, gz_traffic *traffic,
                         int flags) {
  const uint8_t *begin = p, *end = p + len, *next = p;
  int messages = 0, sent = 0, parts = 0, events = 0, lost = 0, rc = 0;
  uint64_t last = 0;
  while (p < end && !lost && messages < n && traffic->bytes < most_bytes) {
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
