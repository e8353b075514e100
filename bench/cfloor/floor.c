#include "base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR = 0, SUB = 2, REQ = 3, REP = 4, DEALER = 5, ROUTER = 6, PULL = 7, PUSH = 8, XPUB = 9, RADIO = 14, DISH = 15, GATHER = 16, SCATTER = 17 };
enum {
  ROUTING_ID = 5,
  SUBSCRIBE = 6,
  LINGER = 17,
  SNDHWM = 23,
  RCVHWM = 24,
  LAST_ENDPOINT = 32,
  ROUTER_MANDATORY = 33,
  XPUB_VERBOSE = 40,
  CURVE_SERVER = 47,
  CURVE_PUBLICKEY = 48,
  CURVE_SECRETKEY = 49,
  CURVE_SERVERKEY = 50,
  PROBE_ROUTER = 51,
  XPUB_NODROP = 69,
  THREAD_AFFINITY_CPU_ADD = 7, /* of a context */
  IN_BATCH_SIZE = 101,
  OUT_BATCH_SIZE = 102,
};

static cf_party *binders(const cf_bench *b) { return cf_publishes(b) ? b->senders : b->receivers; }

int cf_binders(const cf_bench *b) { return cf_publishes(b) ? 1 : b->c.receivers; }

static int set_int(cf_party *p, int option, int value) {
  return p->b->z->setsockopt(p->s, option, &value, sizeof value) < 0 ? -errno : 0;
}

static int set_text(cf_party *p, int option, const char *text) {
  return p->b->z->setsockopt(p->s, option, text, strlen(text)) < 0 ? -errno : 0;
}

/* The side that binds is the server. Both sides have the same pair of keys. */
static int encrypt(cf_party *p, int server) {
  cf_bench *b = p->b;
  int rc = set_text(p, CURVE_PUBLICKEY, b->public_key);
  if (!rc) rc = set_text(p, CURVE_SECRETKEY, b->secret_key);
  if (rc) return rc;
  return server ? set_int(p, CURVE_SERVER, 1) : set_text(p, CURVE_SERVERKEY, b->public_key);
}

/* Sets the options that the Go side of the benchmark sets. */
static int configure(cf_party *p, int sends) {
  cf_bench *b = p->b;
  int pattern = b->c.pattern;
  int rc = set_int(p, LINGER, 0);
  if (!rc) rc = set_int(p, SNDHWM, b->c.hwm);
  if (!rc) rc = set_int(p, RCVHWM, b->c.hwm);
  if (!rc && b->c.in_batch) rc = set_int(p, IN_BATCH_SIZE, b->c.in_batch);
  if (!rc && b->c.out_batch) rc = set_int(p, OUT_BATCH_SIZE, b->c.out_batch);
  if (!rc && b->c.curve) rc = encrypt(p, sends == cf_publishes(b));
  if (rc) return rc;
  if (pattern == CF_ROUTER_ROUTER) {
    rc = set_text(p, ROUTING_ID, sends ? CF_SENDER_ID : CF_RECEIVER_ID);
    if (!rc) rc = set_int(p, ROUTER_MANDATORY, 1);
    /* The receiver learns of the sender by a probe and answers it. A ROUTER cannot send
     * to a peer that it does not know. */
    return rc || !sends ? rc : set_int(p, PROBE_ROUTER, 1);
  }
  if (!cf_publishes(b)) return 0;
  if (pattern == CF_RADIO_DISH) {
    if (sends) return set_int(p, XPUB_NODROP, 1);
    return b->z->join(p->s, CF_GROUP) < 0 ? -errno : 0;
  }
  if (!sends) return set_text(p, SUBSCRIBE, "");
  /* All subscriptions are equal. cf_ready counts them, so each must be reported. A full
   * subscriber makes the sender wait, so that no message is lost. */
  rc = set_int(p, XPUB_VERBOSE, 1);
  return rc ? rc : set_int(p, XPUB_NODROP, 1);
}

static void fill(cf_bench *b, uint8_t *out) {
  uint32_t x = 2463534242u;
  for (size_t i = 0; i < b->size; i++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    out[i] = (uint8_t)x;
  }
}

/* The socket types of the sender and the receiver. */
static const int types[][2] = {
    [CF_ROUTER_ROUTER] = {ROUTER, ROUTER}, [CF_PUSH_PULL] = {PUSH, PULL},     [CF_DEALER_DEALER] = {DEALER, DEALER},
    [CF_PUB_SUB] = {XPUB, SUB},            [CF_DEALER_ROUTER] = {DEALER, ROUTER}, [CF_REQ_REP] = {REQ, REP},
    [CF_PAIR] = {PAIR, PAIR},              [CF_SCATTER_GATHER] = {SCATTER, GATHER}, [CF_RADIO_DISH] = {RADIO, DISH},
};

/* Creates a socket and the buffers of its thread. */
static int enlist(cf_bench *b, int number, int sends) {
  cf_party *p = sends ? &b->senders[number] : &b->receivers[number];
  p->b = b;
  p->number = number;
  p->cpus = sends ? &b->c.pin_senders : &b->c.pin_receivers;
  p->out = malloc(b->size);
  p->in = malloc(b->size);
  if (!p->out || !p->in) return -ENOMEM;
  fill(b, p->out);
  if (sends) {
    p->tag = (uint64_t)number << CF_TAG_SHIFT;
    p->loop = cf_returns(b) ? cf_ask_loop : cf_send_loop;
    if (b->samples) p->samples = b->samples + number * b->c.samples;
  } else {
    int dealt = (b->c.pattern == CF_PUSH_PULL || b->c.pattern == CF_SCATTER_GATHER) && b->c.senders + b->c.receivers > 2;
    p->loop = cf_returns(b) ? cf_serve_loop : cf_receive_loop;
    if (dealt && !(p->seen = calloc((size_t)b->c.senders, sizeof *p->seen))) return -ENOMEM;
  }
  if (!(p->s = b->z->socket(b->ctx, types[b->c.pattern][!sends]))) return -errno;
  return configure(p, sends);
}

/* libzmq has no threads before the first socket is created. */
static int pin_io(cf_bench *b) {
  for (int cpu = 0; cpu < CF_CPUS; cpu++)
    if (b->c.pin_io.bits[cpu / 64] >> (cpu % 64) & 1)
      if (b->z->ctx_set(b->ctx, THREAD_AFFINITY_CPU_ADD, cpu) < 0) return -errno;
  return 0;
}

static int make(cf_bench *b) {
  b->senders = calloc((size_t)b->c.senders, sizeof *b->senders);
  b->receivers = calloc((size_t)b->c.receivers, sizeof *b->receivers);
  if (!b->senders || !b->receivers) return -ENOMEM;
  if (b->c.samples && !(b->samples = calloc((size_t)(b->c.senders * b->c.samples), sizeof *b->samples))) return -ENOMEM;
  b->timed = cf_returns(b) ? b->senders : b->receivers;
  b->timed_count = cf_returns(b) ? b->c.senders : b->c.receivers;
  if (b->c.curve && b->z->curve_keypair(b->public_key, b->secret_key) < 0) return -errno;
  if (!(b->ctx = b->z->ctx_new())) return -errno;
  int rc = pin_io(b);
  for (int i = 0; !rc && i < b->c.senders; i++) rc = enlist(b, i, 1);
  for (int i = 0; !rc && i < b->c.receivers; i++) rc = enlist(b, i, 0);
  return rc;
}

int cf_open(const gz_api *z, const cf_config *c, cf_bench **out) {
  cf_bench *b = calloc(1, sizeof *b);
  if (!b) return -ENOMEM;
  b->z = z;
  b->c = *c;
  b->size = (size_t)c->size;
  pthread_mutex_init(&b->mu, NULL);
  pthread_cond_init(&b->changed, NULL);
  int rc = make(b);
  if (rc) {
    cf_close(b);
    return rc;
  }
  *out = b;
  return 0;
}

void cf_fill(cf_bench *b, const void *text, size_t n) {
  for (int i = 0; i < b->c.senders; i++)
    for (size_t at = 0; at < b->size; at += n) memcpy(b->senders[i].out + at, text, n < b->size - at ? n : b->size - at);
}

int cf_bind(cf_bench *b, int i, const char *endpoint, char *bound, size_t len) {
  void *s = binders(b)[i].s;
  int rc = cf_attach(b->z->bind, s, endpoint);
  if (rc) return rc;
  return b->z->getsockopt(s, LAST_ENDPOINT, bound, &len) < 0 ? -errno : 0;
}

int cf_connect(cf_bench *b, const char *endpoint) {
  int published = cf_publishes(b);
  cf_party *p = published ? b->receivers : b->senders;
  int rc = 0;
  for (int n = published ? b->c.receivers : b->c.senders; !rc && n > 0; n--, p++) rc = cf_attach(b->z->connect, p->s, endpoint);
  return rc;
}

static void close_sockets(cf_bench *b, cf_party *p, int n) {
  for (; p && n > 0; n--, p++)
    if (p->s) b->z->close(p->s);
}

static void free_parties(cf_party *all, int n) {
  for (cf_party *p = all; p && n > 0; n--, p++) {
    cf_free_lent(p);
    free(p->out);
    free(p->in);
    free(p->seen);
  }
  free(all);
}

void cf_close(cf_bench *b) {
  close_sockets(b, b->senders, b->c.senders);
  close_sockets(b, b->receivers, b->c.receivers);
  if (b->ctx) {
    int rc;
    do rc = b->z->ctx_term(b->ctx);
    while (rc < 0 && errno == EINTR);
  }
  /* After the end of the context no buffer is returned any more. */
  free_parties(b->senders, b->c.senders);
  free_parties(b->receivers, b->c.receivers);
  free(b->samples);
  pthread_cond_destroy(&b->changed);
  pthread_mutex_destroy(&b->mu);
  free(b);
}

int cf_stop(cf_bench *b) { return b->z->ctx_shutdown(b->ctx) < 0 ? -errno : 0; }

/* Sends a message from one socket to the other. The caller's thread uses both. */
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

/* Receives the probe, which is the sender's id and an empty part, and exchanges messages. */
static int meet(cf_bench *b, void *sender, void *receiver) {
  char got[16];
  int rc = cf_recv(b, receiver, got, sizeof got, 0);
  if (rc >= 0) rc = cf_recv(b, receiver, got, sizeof got, 0);
  if (rc >= 0) rc = greet(b, receiver, sender, CF_SENDER_ID);
  return rc ? rc : greet(b, sender, receiver, CF_RECEIVER_ID);
}

/* Makes one round trip. */
static int converse(cf_bench *b, cf_party *asks, cf_party *serves) {
  char got[16];
  serves->messages = 1;
  int rc = cf_send(b, asks->s, "ready", 5, 0);
  if (rc >= 0) rc = cf_serve_loop(serves);
  if (rc >= 0) rc = cf_recv(b, asks->s, got, sizeof got, 0);
  return rc < 0 ? rc : 0;
}

int cf_ready(cf_bench *b) {
  char got[16];
  int rc = 0;
  switch (b->c.pattern) {
  case CF_ROUTER_ROUTER: return meet(b, b->senders[0].s, b->receivers[0].s);
  case CF_RADIO_DISH: return cf_tune_in(b);
  case CF_PAIR:
  case CF_SCATTER_GATHER:
  case CF_PUSH_PULL: /* a PUSH sends to its connections in their order */
    for (int i = 0; !rc && i < b->c.senders; i++)
      for (int j = 0; !rc && j < b->c.receivers; j++) rc = greet(b, b->senders[i].s, b->receivers[j].s, NULL);
    return rc;
  case CF_PUB_SUB: /* the subscriptions */
    for (int i = 0; rc >= 0 && i < b->c.receivers; i++) rc = cf_recv(b, b->senders[0].s, got, sizeof got, 0);
    return rc < 0 ? rc : 0;
  default:
    for (int i = 0; !rc && i < b->c.senders; i++) rc = converse(b, &b->senders[i], &b->receivers[0]);
    return rc;
  }
}
