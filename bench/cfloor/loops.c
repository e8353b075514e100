#include <errno.h>
#include <string.h>
#include <time.h>

#include "base.h"

/* Returns the number of bytes of part i of a payload. */
static size_t part_size(const cf_bench *b, int i) {
  size_t each = b->size / (size_t)b->c.parts;
  return i < b->c.parts - 1 ? each : b->size - each * (size_t)(b->c.parts - 1);
}

static int send_payload(cf_party *p) {
  cf_bench *b = p->b;
  if (b->c.pattern == CF_RADIO_DISH) return cf_send_group(p, p->out, b->size);
  if (b->c.parts == 1) return cf_send(b, p->s, p->out, b->size, 0);
  const uint8_t *at = p->out;
  int rc = 0, last = b->c.parts - 1;
  for (int i = 0; rc >= 0 && i <= last; i++) {
    size_t n = part_size(b, i);
    rc = cf_send(b, p->s, at, n, i < last ? CF_SNDMORE : 0);
    at += n;
  }
  return rc;
}

int cf_send_loop(cf_party *p) {
  cf_bench *b = p->b;
  for (int64_t i = 0; i < p->messages; i++) {
    int rc = 0;
    cf_stamp(p, i);
    if (b->c.pattern == CF_ROUTER_ROUTER) rc = cf_send(b, p->s, CF_RECEIVER_ID, CF_ID_LEN, CF_SNDMORE);
    if (rc >= 0) rc = b->c.lend ? cf_send_lent(p) : send_payload(p);
    if (rc < 0) return rc;
  }
  return 0;
}

/* Receives the first part of a ROUTER's message. */
static int take_id(cf_party *p, int flags) {
  char id[16];
  if (p->b->c.pattern != CF_ROUTER_ROUTER) return 0;
  int rc = cf_recv(p->b, p->s, id, sizeof id, flags);
  if (rc < 0) return rc;
  return rc == CF_ID_LEN ? 0 : -EBADMSG;
}

/* Receives all parts of message i. Only the first part can return -EAGAIN, and only with
 * CF_DONTWAIT, because libzmq passes on whole messages. */
static int take(cf_party *p, int64_t i, int flags) {
  cf_bench *b = p->b;
  int rc = take_id(p, flags);
  if (rc < 0) return rc;
  if (b->c.parts == 1) return cf_check(p, i, p->in, cf_recv(b, p->s, p->in, b->size, flags));
  size_t got = 0;
  for (int part = 0; part < b->c.parts; part++) {
    size_t n = part_size(b, part);
    rc = cf_recv(b, p->s, p->in + got, n, flags);
    if (rc < 0) return rc;
    if ((size_t)rc != n) return -EBADMSG;
    got += n;
  }
  return cf_check(p, i, p->in, (int)got);
}

/* Like blocking, but receives into one zmq_msg_t instead of a buffer. */
static int lent(cf_party *p) {
  zmq_msg_t m;
  int rc = 0;
  p->b->z->msg_init(&m);
  for (int64_t i = 0; i < p->messages && rc >= 0; i++) {
    rc = take_id(p, 0);
    if (rc >= 0) rc = cf_recv_lent(p, i, &m);
  }
  p->b->z->msg_close(&m);
  return rc < 0 ? rc : 0;
}

static int blocking(cf_party *p) {
  for (int64_t i = 0; i < p->messages; i++) {
    int rc = take(p, i, 0);
    if (rc < 0) return rc;
  }
  return 0;
}

/* Receives the available messages, from message i on. Returns the number of the next one. */
static int64_t drain(cf_party *p, int64_t i) {
  for (; i < p->messages; i++) {
    int rc = take(p, i, CF_DONTWAIT);
    if (rc == -EAGAIN) break;
    if (rc < 0) return rc;
  }
  return i;
}

static int batch(cf_party *p) {
  for (int64_t i = 0; i < p->messages;) {
    int rc = take(p, i, 0);
    if (rc < 0) return rc;
    i = drain(p, i + 1);
    if (i < 0) return (int)i;
  }
  return 0;
}

static int sleeping(cf_party *p, long ms) {
  const struct timespec pause = {0, ms * 1000000};
  for (int64_t i = 0; i < p->messages;) {
    i = drain(p, i);
    if (i < 0) return (int)i;
    if (i < p->messages) nanosleep(&pause, NULL);
  }
  return 0;
}

static int polling(cf_party *p) {
  struct poll_item item = {p->s, 0, 1 /* ZMQ_POLLIN */, 0};
  for (int64_t i = 0; i < p->messages;) {
    int rc;
    do rc = p->b->z->poll(&item, 1, -1);
    while (rc < 0 && errno == EINTR);
    if (rc < 0) return -errno;
    i = drain(p, i);
    if (i < 0) return (int)i;
  }
  return 0;
}

int cf_receive_loop(cf_party *p) {
  if (p->b->c.lend) return lent(p);
  switch (p->b->c.mode) {
  case CF_BLOCKING: return blocking(p);
  case CF_BATCH: return batch(p);
  case CF_SLEEP: return sleeping(p, 1);
  case CF_SLEEP10: return sleeping(p, 10);
  case CF_POLL: return polling(p);
  }
  return -EINVAL;
}

/* Receives requests and sends them back. A ROUTER replies to the sender of the request. */
int cf_serve_loop(cf_party *p) {
  cf_bench *b = p->b;
  int routed = b->c.pattern == CF_DEALER_ROUTER;
  char id[16];
  for (int64_t i = 0; i < p->messages; i++) {
    int id_len = 0;
    if (routed) id_len = cf_recv(b, p->s, id, sizeof id, 0);
    if (id_len < 0) return id_len;
    int size = cf_recv(b, p->s, p->in, b->size, 0), rc = size;
    if (size > (int)b->size) return -EBADMSG; /* it was truncated */
    if (rc >= 0 && routed) rc = cf_send(b, p->s, id, (size_t)id_len, CF_SNDMORE);
    if (rc >= 0) rc = cf_send(b, p->s, p->in, (size_t)size, 0);
    if (rc < 0) return rc;
  }
  return 0;
}

/* Sends request i. Until the reply comes, its sample is the time at which it was sent. */
static int request(cf_party *p, int64_t i) {
  cf_stamp(p, i);
  if (p->samples) p->samples[i] = cf_now(CLOCK_MONOTONIC);
  return cf_send(p->b, p->s, p->out, p->b->size, 0);
}

/* Sends requests and receives the replies, with a window of requests in flight. */
int cf_ask_loop(cf_party *p) {
  int64_t sent = 0;
  int rc = 0;
  while (rc >= 0 && sent < p->messages && sent < p->b->c.window) rc = request(p, sent++);
  for (int64_t i = 0; rc >= 0 && i < p->messages; i++) {
    rc = cf_check(p, i, p->in, cf_recv(p->b, p->s, p->in, p->b->size, 0));
    if (p->samples) p->samples[i] = cf_now(CLOCK_MONOTONIC) - p->samples[i];
    if (rc >= 0 && sent < p->messages) rc = request(p, sent++);
  }
  return rc < 0 ? rc : 0;
}
