#define _GNU_SOURCE
#include "floor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEALER = 5, ROUTER = 6, PULL = 7, PUSH = 8 };
enum {
  ROUTING_ID = 5,
  LINGER = 17,
  SNDHWM = 23,
  RCVHWM = 24,
  LAST_ENDPOINT = 32,
  ROUTER_MANDATORY = 33,
  PROBE_ROUTER = 51,
};

static int set_int(cf_bench *b, void *s, int option, int value) {
  return b->z->setsockopt(s, option, &value, sizeof value) < 0 ? -errno : 0;
}

/* The sockets' options are those that the Go side of the benchmark sets. */
static int configure(cf_bench *b, void *s, const char *id) {
  int rc = set_int(b, s, LINGER, 0);
  if (!rc) rc = set_int(b, s, SNDHWM, b->c.hwm);
  if (!rc) rc = set_int(b, s, RCVHWM, b->c.hwm);
  if (rc || b->c.pattern != CF_ROUTER_ROUTER) return rc;
  if (b->z->setsockopt(s, ROUTING_ID, id, CF_ID_LEN) < 0) return -errno;
  return set_int(b, s, ROUTER_MANDATORY, 1);
}

static int attach(cf_bench *b, const char *endpoint) {
  char bound[512];
  size_t len = sizeof bound;
  int rc = configure(b, b->receiver, CF_RECEIVER_ID);
  if (!rc) rc = configure(b, b->sender, CF_SENDER_ID);
  /* The receiver learns of the sender by a probe, and answers it: before that a
   * ROUTER has nobody to send to. */
  if (!rc && b->c.pattern == CF_ROUTER_ROUTER) rc = set_int(b, b->sender, PROBE_ROUTER, 1);
  if (rc) return rc;
  if (b->z->bind(b->receiver, endpoint) < 0) return -errno;
  if (b->z->getsockopt(b->receiver, LAST_ENDPOINT, bound, &len) < 0) return -errno;
  return b->z->connect(b->sender, bound) < 0 ? -errno : 0;
}

int cf_open(const gz_api *z, const cf_config *c, const char *endpoint, cf_bench **out) {
  static const int types[][2] = {{ROUTER, ROUTER}, {PUSH, PULL}, {DEALER, DEALER}};
  cf_bench *b = calloc(1, sizeof *b);
  int rc = 0;
  if (!b) return -ENOMEM;
  b->z = z;
  b->c = *c;
  b->size = (size_t)c->size;
  pthread_mutex_init(&b->mu, NULL);
  pthread_cond_init(&b->changed, NULL);
  b->out = malloc(b->size);
  b->in = malloc(b->size);
  b->back = malloc(b->size);
  if (!b->out || !b->in || !b->back) rc = -ENOMEM;
  if (!rc) {
    uint32_t x = 2463534242u;
    for (size_t i = 0; i < b->size; i++) {
      x ^= x << 13, x ^= x >> 17, x ^= x << 5;
      b->out[i] = (uint8_t)x;
    }
  }
  if (!rc && !(b->ctx = z->ctx_new())) rc = -errno;
  if (!rc && !(b->sender = z->socket(b->ctx, types[c->pattern][0]))) rc = -errno;
  if (!rc && !(b->receiver = z->socket(b->ctx, types[c->pattern][1]))) rc = -errno;
  if (!rc) rc = attach(b, endpoint);
  if (rc) {
    cf_close(b);
    return rc;
  }
  *out = b;
  return 0;
}

void cf_close(cf_bench *b) {
  if (b->sender) b->z->close(b->sender);
  if (b->receiver) b->z->close(b->receiver);
  if (b->ctx) {
    int rc;
    do rc = b->z->ctx_term(b->ctx);
    while (rc < 0 && errno == EINTR);
  }
  cf_free_lent(b); /* after the context: nothing comes back any more */
  free(b->out);
  free(b->in);
  free(b->back);
  pthread_cond_destroy(&b->changed);
  pthread_mutex_destroy(&b->mu);
  free(b);
}

int cf_stop(cf_bench *b) { return b->z->ctx_shutdown(b->ctx) < 0 ? -errno : 0; }

/* A message from one socket to the other. Both are the caller's thread's. */
static int greet(cf_bench *b, void *from, void *to, const char *to_id) {
  char got[16];
  int rc = 0;
  if (to_id) {
    rc = cf_send(b, from, to_id, CF_ID_LEN, CF_SNDMORE);
    if (rc >= 0) rc = cf_send(b, from, "ready", 5, 0);
    if (rc >= 0) rc = cf_recv(b, to, got, sizeof got, 0);
  } else {
    rc = cf_send(b, from, "ready", 5, 0);
  }
  if (rc >= 0) rc = cf_recv(b, to, got, sizeof got, 0);
  return rc < 0 ? rc : 0;
}

int cf_ready(cf_bench *b) {
  char got[16];
  int rc;
  switch (b->c.pattern) {
  case CF_ROUTER_ROUTER: /* the probe: the sender's id and an empty part */
    rc = cf_recv(b, b->receiver, got, sizeof got, 0);
    if (rc >= 0) rc = cf_recv(b, b->receiver, got, sizeof got, 0);
    if (rc >= 0) rc = greet(b, b->receiver, b->sender, CF_SENDER_ID);
    if (rc >= 0) rc = greet(b, b->sender, b->receiver, CF_RECEIVER_ID);
    return rc;
  case CF_PUSH_PULL:
    return greet(b, b->sender, b->receiver, NULL);
  default:
    rc = greet(b, b->sender, b->receiver, NULL);
    return rc ? rc : greet(b, b->receiver, b->sender, NULL);
  }
}

/* The first failure is the run's, and ends the other thread's waiting. */
static void fail(cf_bench *b, int rc) {
  int none = 0;
  if (atomic_compare_exchange_strong(&b->failed, &none, rc)) cf_stop(b);
}

static void *sender_thread(void *arg) {
  cf_bench *b = arg;
  pthread_mutex_lock(&b->mu);
  b->waiting = 1;
  pthread_cond_broadcast(&b->changed);
  while (!b->open) pthread_cond_wait(&b->changed, &b->mu);
  pthread_mutex_unlock(&b->mu);
  if (atomic_load(&b->failed)) return NULL;
  int rc = b->c.pattern == CF_DEALER_DEALER ? cf_echo_loop(b) : cf_send_loop(b);
  if (rc < 0) fail(b, rc);
  return NULL;
}

static int64_t now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void open_gate(cf_bench *b) {
  pthread_mutex_lock(&b->mu);
  b->open = 1;
  pthread_cond_broadcast(&b->changed);
  pthread_mutex_unlock(&b->mu);
}

static void *receiver_thread(void *arg) {
  cf_bench *b = arg;
  pthread_mutex_lock(&b->mu);
  while (!b->waiting) pthread_cond_wait(&b->changed, &b->mu);
  pthread_mutex_unlock(&b->mu);

  int64_t cpu = now(CLOCK_PROCESS_CPUTIME_ID), start = now(CLOCK_MONOTONIC);
  open_gate(b);
  int rc = b->c.pattern == CF_DEALER_DEALER ? cf_ask_loop(b) : cf_receive_loop(b);
  b->elapsed_ns = now(CLOCK_MONOTONIC) - start;
  b->cpu_ns = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  if (rc < 0) fail(b, rc);
  return NULL;
}

int cf_run(cf_bench *b, int64_t messages) {
  pthread_t sender, receiver;
  sigset_t all, before;
  b->messages = messages;
  b->waiting = b->open = 0;

  /* As in libzmq's own threads: the Go runtime's signals are not for these. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = pthread_create(&sender, NULL, sender_thread, b);
  if (!rc) {
    rc = pthread_create(&receiver, NULL, receiver_thread, b);
    if (rc) {
      fail(b, -rc);
      open_gate(b);
    } else {
      pthread_join(receiver, NULL);
    }
    pthread_join(sender, NULL);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return rc ? -rc : atomic_load(&b->failed);
}
