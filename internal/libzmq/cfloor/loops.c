#include <errno.h>
#include <string.h>
#include <time.h>

#include "floor.h"

int cf_send(cf_bench *b, void *s, const void *p, size_t n, int flags) {
  int rc;
  do rc = b->z->send(s, p, n, flags);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}

int cf_recv(cf_bench *b, void *s, void *p, size_t n, int flags) {
  int rc;
  do rc = b->z->recv(s, p, n, flags);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}

#define CHECKED(i) (((i) & 63) == 0)

void cf_stamp(cf_bench *b, int64_t i) {
  if (CHECKED(i)) memcpy(b->out, &i, sizeof i);
}

int cf_send_loop(cf_bench *b) {
  for (int64_t i = 0; i < b->messages; i++) {
    int rc = 0;
    cf_stamp(b, i);
    if (b->c.pattern == CF_ROUTER_ROUTER) rc = cf_send(b, b->sender, CF_RECEIVER_ID, CF_ID_LEN, CF_SNDMORE);
    if (rc >= 0) rc = b->c.lend ? cf_send_lent(b) : cf_send(b, b->sender, b->out, b->size, 0);
    if (rc < 0) return rc;
  }
  return 0;
}

int cf_check(cf_bench *b, int64_t i, const void *p, int size) {
  if (size < 0) return size;
  if ((size_t)size != b->size) return -EBADMSG;
  if (CHECKED(i) && memcmp(p, &i, sizeof i)) return -EBADMSG;
  return 0;
}

/* A ROUTER's first part. */
static int take_id(cf_bench *b, int flags) {
  char id[16];
  if (b->c.pattern != CF_ROUTER_ROUTER) return 0;
  int rc = cf_recv(b, b->receiver, id, sizeof id, flags);
  if (rc < 0) return rc;
  return rc == CF_ID_LEN ? 0 : -EBADMSG;
}

/* Message i, all parts. -EAGAIN only with CF_DONTWAIT, and before the first
 * part: libzmq hands over whole messages. */
static int take(cf_bench *b, int64_t i, int flags) {
  int rc = take_id(b, flags);
  return rc < 0 ? rc : cf_check(b, i, b->in, cf_recv(b, b->receiver, b->in, b->size, flags));
}

/* As blocking, into one message instead of a buffer of our own. */
static int lent(cf_bench *b) {
  zmq_msg_t m;
  int rc = 0;
  b->z->msg_init(&m);
  for (int64_t i = 0; i < b->messages && rc >= 0; i++) {
    rc = take_id(b, 0);
    if (rc >= 0) rc = cf_recv_lent(b, i, &m);
  }
  b->z->msg_close(&m);
  return rc < 0 ? rc : 0;
}

static int blocking(cf_bench *b) {
  for (int64_t i = 0; i < b->messages; i++) {
    int rc = take(b, i, 0);
    if (rc < 0) return rc;
  }
  return 0;
}

/* Takes what is there, from message i on. The number of the next message. */
static int64_t drain(cf_bench *b, int64_t i) {
  for (; i < b->messages; i++) {
    int rc = take(b, i, CF_DONTWAIT);
    if (rc == -EAGAIN) break;
    if (rc < 0) return rc;
  }
  return i;
}

static int batch(cf_bench *b) {
  for (int64_t i = 0; i < b->messages;) {
    int rc = take(b, i, 0);
    if (rc < 0) return rc;
    i = drain(b, i + 1);
    if (i < 0) return (int)i;
  }
  return 0;
}

static int sleeping(cf_bench *b) {
  static const struct timespec ms = {0, 1000000};
  for (int64_t i = 0; i < b->messages;) {
    i = drain(b, i);
    if (i < 0) return (int)i;
    if (i < b->messages) nanosleep(&ms, NULL);
  }
  return 0;
}

static int polling(cf_bench *b) {
  struct poll_item item = {b->receiver, 0, 1 /* ZMQ_POLLIN */, 0};
  for (int64_t i = 0; i < b->messages;) {
    int rc;
    do rc = b->z->poll(&item, 1, -1);
    while (rc < 0 && errno == EINTR);
    if (rc < 0) return -errno;
    i = drain(b, i);
    if (i < 0) return (int)i;
  }
  return 0;
}

int cf_receive_loop(cf_bench *b) {
  if (b->c.lend) return lent(b);
  switch (b->c.mode) {
  case CF_BLOCKING: return blocking(b);
  case CF_BATCH: return batch(b);
  case CF_SLEEP: return sleeping(b);
  case CF_POLL: return polling(b);
  }
  return -EINVAL;
}

/* The far end of a round trip. */
int cf_echo_loop(cf_bench *b) {
  for (int64_t i = 0; i < b->messages; i++) {
    int rc = cf_recv(b, b->receiver, b->back, b->size, 0);
    if (rc >= 0) rc = cf_send(b, b->receiver, b->back, (size_t)rc, 0);
    if (rc < 0) return rc;
  }
  return 0;
}

/* The near end, which has the clock. */
int cf_ask_loop(cf_bench *b) {
  for (int64_t i = 0; i < b->messages; i++) {
    cf_stamp(b, i);
    int rc = cf_send(b, b->sender, b->out, b->size, 0);
    if (rc >= 0) rc = cf_check(b, i, b->in, cf_recv(b, b->sender, b->in, b->size, 0));
    if (rc < 0) return rc;
  }
  return 0;
}
