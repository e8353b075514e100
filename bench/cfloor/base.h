/* What all files use: the patterns, single calls of libzmq, and the numbers in messages.
 * The functions are inline, because the loops call them for every message. */
#ifndef GOZMQ_CFLOOR_BASE_H
#define GOZMQ_CFLOOR_BASE_H

#include <errno.h>
#include <string.h>
#include <time.h>

#include "floor.h"

/* Reports whether the pattern makes round trips. */
static inline int cf_returns(const cf_bench *b) {
  return b->c.pattern == CF_DEALER_DEALER || b->c.pattern == CF_DEALER_ROUTER || b->c.pattern == CF_REQ_REP;
}

/* Reports whether every receiver gets each message. */
static inline int cf_publishes(const cf_bench *b) { return b->c.pattern == CF_PUB_SUB || b->c.pattern == CF_RADIO_DISH; }

/* zmq_bind or zmq_connect. EINTR is retried, because the Go runtime interrupts its threads. */
static inline int cf_attach(int (*call)(void *, const char *), void *s, const char *endpoint) {
  int rc;
  do rc = call(s, endpoint);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Sends one part. EINTR is retried. Returns the number of bytes or -errno. */
static inline int cf_send(cf_bench *b, void *s, const void *p, size_t n, int flags) {
  int rc;
  do rc = b->z->send(s, p, n, flags);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}

/* Receives one part like cf_send. */
static inline int cf_recv(cf_bench *b, void *s, void *p, size_t n, int flags) {
  int rc;
  do rc = b->z->recv(s, p, n, flags);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}

/* Returns the nanoseconds of a clock. */
static inline int64_t cf_now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#define STAMPED(i) (((i) & 63) == 0)
#define STAMP_OF(i) ((uint64_t)(i) & ~(uint64_t)63)

/* The first and the last of 64 messages with the same number are checked. If a message was
 * repeated, the first has the number before. If one was lost, the last has the next. */
#define CHECKED(i) ((((i) + 1) & 63) <= 1)

/* Writes the number of message i into the next payload. Only every 64th message gets its own
 * number, so that the check is not the load. The others keep the last one. */
static inline void cf_stamp(cf_party *p, int64_t i) {
  uint64_t stamp = p->tag | (uint64_t)i;
  if (STAMPED(i)) memcpy(p->out, &stamp, sizeof stamp);
}

/* With many senders or receivers: checks that this is the next message of its sender. */
static inline int check_among_many(cf_party *p, uint64_t stamp) {
  uint64_t sender = stamp >> CF_TAG_SHIFT;
  if (sender >= (uint64_t)p->b->c.senders) return -EBADMSG;
  int64_t next = p->number + p->seen[sender]++ * p->b->c.receivers;
  return stamp == (sender << CF_TAG_SHIFT | STAMP_OF(next)) ? 0 : -EBADMSG;
}

/* Checks message i, whose payload is at data. */
static inline int cf_check(cf_party *p, int64_t i, const void *data, int size) {
  uint64_t stamp;
  if (size < 0) return size;
  if ((size_t)size != p->b->size) return -EBADMSG;
  if (!p->seen && !CHECKED(i)) return 0;
  memcpy(&stamp, data, sizeof stamp);
  if (p->seen) return check_among_many(p, stamp);
  return stamp == (p->tag | STAMP_OF(i)) ? 0 : -EBADMSG;
}

#endif
