#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctest.h"

/* Messages from several threads that share a socket to several that share another, sent
 * in every way that there is and received in every way, each of them checked. */

enum { SENDERS = 3, RECEIVERS = 2, MOST_PARTS = 12, ROOM = 64, WAYS = 10, HEADER = 16 };

typedef struct route {
  const char *endpoint;
  int from, to, through; /* through: a proxy stands in between */
  ct_socket *out, *in;
  ct_socket *front, *back, *copies, *copies_end;
  int64_t each, sent, received;
} route;

static gz_home *home;
static struct {
  pthread_mutex_t lock;
  gz_buffer *free;
} pool = {PTHREAD_MUTEX_INITIALIZER, NULL};

enum { CAPACITY = 24 * 1024 };

static gz_buffer *take_buffer(void) {
  pthread_mutex_lock(&pool.lock);
  if (!pool.free) pool.free = ct_take(home);
  if (!pool.free) pool.free = gz_buffers_alloc(home, CAPACITY, 0, 0, 8);
  gz_buffer *b = pool.free;
  CHECK(b);
  pool.free = b->next;
  pthread_mutex_unlock(&pool.lock);
  return b;
}

/* Message number n has count_of(n) parts. The first holds n and that. */
static int count_of(int64_t n) {
  static const int counts[WAYS] = {1, 2, 3, 4, 5, 3, 2, 2, 2, 1};
  return n % 97 == 96 && n % WAYS == 4 ? MOST_PARTS : counts[n % WAYS];
}

static int64_t size_of(int64_t n, int i) {
  int64_t size = (n * 7 + i * 31) % 200;
  if ((n + i) % 41 == 0) size += 20000;
  return i ? size : size + HEADER;
}

static void fill(uint8_t *p, int64_t n, int i) {
  int64_t size = size_of(n, i), from = 0, count = count_of(n);
  if (i == 0) {
    memcpy(p, &n, sizeof n);
    memcpy(p + 8, &count, sizeof count);
    from = HEADER;
  }
  memset(p + from, (int)(n + i), (size_t)(size - from));
}

static void check(gz_msg *m, int64_t n, int i) {
  int64_t size = size_of(n, i);
  const uint8_t *p = bytes_of(m);
  CHECK(m->size == size);
  for (int64_t at = i ? 0 : HEADER; at < size; at++) CHECK(p[at] == (uint8_t)(n + i));
  CHECK(!(m->flags & GZ_MORE) == (i == count_of(n) - 1));
}

static uint8_t *made(int64_t n, int i) {
  uint8_t *p = malloc((size_t)size_of(n, i) + 1);
  CHECK(p);
  fill(p, n, i);
  return p;
}

static void lent(gz_msg *m, int64_t n, int i) {
  gz_buffer *b = take_buffer();
  b->copy_below = n % 3 ? 0 : 1000;
  fill((uint8_t *)(b + 1), n, i);
  ct_lend(m, b, b + 1, size_of(n, i));
}

static void allocated(gz_msg *m, int64_t n, int i) {
  memset(m, 0, sizeof *m);
  WORKS(gz_msg_alloc(m, size_of(n, i)));
  fill(bytes_of(m), n, i);
}

/* Repeats a send until there is room. */
#define SEND(call)                                                             \
  for (;;) {                                                                   \
    pthread_mutex_lock(&r->out->lock);                                         \
    gz_result sent = (call);                                                   \
    pthread_mutex_unlock(&r->out->lock);                                       \
    if (rc_of(sent) != -EAGAIN) {                                              \
      WORKS(rc_of(sent));                                                      \
      break;                                                                   \
    }                                                                          \
    ct_wait(r->out);                                                           \
  }

static void send_packed(route *r, int64_t n) {
  size_t room = 0, len = 0;
  for (int i = 0; i < count_of(n); i++) room += 8 + (size_t)size_of(n, i);
  uint8_t *p = malloc(room);
  CHECK(p);
  for (int i = 0; i < count_of(n); i++) {
    uint64_t head = (uint64_t)size_of(n, i) * 2 + (i < count_of(n) - 1);
    memcpy(p + len, &head, 8);
    fill(p + len + 8, n, i);
    len += 8 + (size_t)size_of(n, i);
  }
  CHECK(len == room);
  int64_t gone = 0;
  gz_traffic traffic = {0};
  SEND(gz_send_packed(r->out->s, p, (int64_t)len, &gone, &traffic, GZ_WANT_EVENTS));
  CHECK(gone == (int64_t)len && traffic.parts == count_of(n));
  free(p);
}

static void send_list(route *r, int64_t n) {
  int count = count_of(n);
  int64_t lens[MOST_PARTS];
  gz_msg given = {0};
  size_t len = 0;
  uint8_t *flat = malloc(MOST_PARTS * CAPACITY);
  CHECK(flat);
  for (int i = 0; i < count; i++) {
    if (i == 1) {
      lent(&given, n, i);
      lens[i] = -1;
      continue;
    }
    fill(flat + len, n, i);
    lens[i] = size_of(n, i);
    len += (size_t)lens[i];
  }
  SEND(gz_send_list(r->out->s, flat, lens, count, &given, GZ_WANT_EVENTS));
  free(flat);
}

/* What is sent in the usual ways is copied, so that the bytes are ours afterwards. */
static void send_one(route *r, int64_t n) {
  uint8_t *p[4] = {0};
  int64_t size[4] = {0};
  gz_msg m[4] = {{.flags = 0}};
  int count = count_of(n), way = (int)(n % WAYS);
  int32_t starts[] = {0, count};
  gz_traffic traffic = {0};
  int copied = way < 4 || way == 6;
  for (int i = 0; i < count && copied; i++) {
    p[i] = made(n, i);
    size[i] = size_of(n, i);
  }
  switch (way) {
  case 0: SEND(gz_send1(r->out->s, p[0], size[0], 0)); break;
  case 1: SEND(gz_send2(r->out->s, p[0], size[0], p[1], size[1], 0)); break;
  case 2: SEND(gz_send3(r->out->s, p[0], size[0], p[1], size[1], p[2], size[2], GZ_WANT_EVENTS)); break;
  case 3: SEND(gz_send4(r->out->s, p[0], size[0], p[1], size[1], p[2], size[2], p[3], size[3], 0)); break;
  case 4: send_list(r, n); break;
  case 5:
    allocated(&m[0], n, 0);
    lent(&m[1], n, 1);
    allocated(&m[2], n, 2);
    SEND(gz_send_msgs(r->out->s, m, 3, n % 2 ? GZ_COPY : 0));
    break;
  case 6:
    lent(&m[1], n, 1);
    SEND(gz_send_with_prefix(r->out->s, p[0], size[0], &m[1], 0));
    break;
  case 7: send_packed(r, n); break;
  case 8:
    lent(&m[0], n, 0);
    lent(&m[1], n, 1);
    SEND(gz_send_batch(r->out->s, m, starts, 1, &traffic, 0));
    CHECK(traffic.parts == 2);
    break;
  case 9:
    lent(&m[0], n, 0);
    SEND(gz_send_msgs(r->out->s, m, 1, 0));
    break;
  }
  for (int i = 0; i < 4; i++) free(p[i]);
  gz_msgs_close(m, 4);
}

static void *sender(void *arg) {
  route *r = arg;
  for (int64_t i = 0; i < r->each; i++) send_one(r, __atomic_fetch_add(&r->sent, 1, __ATOMIC_RELAXED));
  return NULL;
}

/* Whole messages that lie in a row: each is checked. A ROUTER's begin with who sent them. */
static int64_t check_row(route *r, gz_msg *m, int parts) {
  int64_t whole = 0;
  for (int at = 0; at < parts; whole++) {
    int64_t n;
    if (r->to == ROUTER) at++;
    CHECK(at < parts && m[at].size >= HEADER);
    memcpy(&n, bytes_of(&m[at]), sizeof n);
    int count = count_of(n);
    CHECK(at + count <= parts);
    for (int i = 0; i < count; i++) check(&m[at + i], n, i);
    at += count;
  }
  return whole;
}

/* The rest of a message of which the last of n parts is not the end. */
static int complete(ct_socket *s, gz_msg *m, int n) {
  while (n > 0 && m[n - 1].flags & GZ_MORE) n += (int)WORKS(gz_recv_rest(s->s, m + n, 3, 0));
  CHECK(n <= ROOM);
  return n;
}

static void *receiver(void *arg) {
  route *r = arg;
  int64_t total = r->each * SENDERS;
  gz_msg m[ROOM] = {{.flags = 0}};
  int32_t starts[ROOM];
  int old = 0;
  for (int64_t turn = 0; __atomic_load_n(&r->received, __ATOMIC_ACQUIRE) < total; turn++) {
    pthread_mutex_lock(&r->in->lock);
    gz_result got = turn % 2 ? gz_recv(r->in->s, &m[0], m + 1, 2, old ? old - 1 : 0, GZ_WANT_EVENTS)
                             : gz_recv_batch(r->in->s, m, ROOM - 2 * MOST_PARTS, 0, old, starts, 16, INT64_MAX, 0);
    int n = complete(r->in, m, rc_of(got));
    pthread_mutex_unlock(&r->in->lock);
    if (n == -EAGAIN) { /* the old ones are gone all the same */
      old = 0;
      ct_wait(r->in);
      continue;
    }
    WORKS(n);
    __atomic_add_fetch(&r->received, check_row(r, m, n), __ATOMIC_ACQ_REL);
    old = n;
    if (turn % 5 == 0) { /* the content lives on in a second message */
      gz_msg twin = {0};
      WORKS(gz_msg_clone(&twin, &m[n - 1]));
      gz_msgs_close(m, n);
      CHECK(twin.size < CAPACITY + HEADER);
      gz_msgs_close(&twin, 1);
      old = 0;
    }
  }
  gz_msgs_close(m, ROOM);
  return NULL;
}

/* Stands between front and back, with a copy of everything for whoever reads copies_end,
 * here the same thread. */
static void *proxy(void *arg) {
  route *r = arg;
  gz_msg msgs[ROOM] = {{.flags = 0}}, owed[ROOM] = {{.flags = 0}}, copy[ROOM] = {{.flags = 0}};
  gz_flow f = {.most = 50, .longest = 1 << 20};
  int64_t total = r->each * SENDERS, copies = 0;
  while (f.messages < total || copies < total) {
    int why = gz_forward(r->front->s, r->back->s, r->copies->s, msgs, ROOM, owed, ROOM, &f);
    CHECK(why == GZ_FLOW_MOST || why == GZ_FLOW_EMPTY || why == GZ_FLOW_FULL || why == GZ_FLOW_CAPTURE_FULL);
    for (;;) {
      int n = complete(r->copies_end, copy, rc_of(gz_recv(r->copies_end->s, &copy[0], copy + 1, ROOM / 2, 0, 0)));
      if (n == -EAGAIN) break;
      copies += check_row(r, copy, (int)WORKS(n));
      gz_msgs_close(copy, ROOM);
    }
    if (why == GZ_FLOW_CAPTURE_FULL) {
      int rc = rc_of(gz_send_msgs(r->copies->s, owed, f.owed, 0));
      if (rc == -EAGAIN) { /* a thread of libzmq has not moved them yet */
        gz_msgs_close(owed, ROOM);
        copies++;
      }
    } else if (why == GZ_FLOW_EMPTY) {
      ct_wait(r->front);
    } else if (why == GZ_FLOW_FULL) {
      ct_wait(r->back);
    }
  }
  CHECK(f.dropped == 0 && f.messages == total);
  gz_msgs_close(copy, ROOM);
  return NULL;
}

static void run(void *context, route *r) {
  pthread_t threads[SENDERS + RECEIVERS + 1];
  char name[ENDPOINT];
  int n = 0;
  r->out = ct_open(context, r->from);
  r->in = ct_open(context, r->to);
  ct_set_int(r->out, OPT_SNDHWM, 20);
  ct_set_int(r->in, OPT_RCVHWM, 20);
  if (r->endpoint) memcpy(name, r->endpoint, strlen(r->endpoint) + 1);
  if (!r->endpoint) ct_name(name);
  if (r->through) {
    r->front = ct_open(context, PULL);
    r->back = ct_open(context, PUSH);
    r->copies = ct_open(context, PAIR);
    r->copies_end = ct_open(context, PAIR);
    ct_set_int(r->copies, OPT_SNDHWM, 10);
    ct_set_int(r->copies_end, OPT_RCVHWM, 10);
    ct_link(r->front, r->out, name, NULL);
    ct_link(r->in, r->back, "tcp://127.0.0.1:*", NULL);
    ct_name(name);
    ct_link(r->copies, r->copies_end, name, NULL);
    CHECK(pthread_create(&threads[n++], NULL, proxy, r) == 0);
  } else {
    ct_link(r->in, r->out, name, NULL);
  }
  for (int i = 0; i < SENDERS; i++) CHECK(pthread_create(&threads[n++], NULL, sender, r) == 0);
  for (int i = 0; i < RECEIVERS; i++) CHECK(pthread_create(&threads[n++], NULL, receiver, r) == 0);
  while (n > 0) pthread_join(threads[--n], NULL);
  CHECK(r->received == r->sent);
  ct_socket *all[] = {r->out, r->in, r->front, r->back, r->copies, r->copies_end};
  for (int i = 0; i < 6; i++)
    if (all[i]) ct_close(all[i]);
}

void ct_traffic(void) {
  const route routes[] = {
      {.from = PUSH, .to = PULL, .endpoint = NULL},
      {.from = PUSH, .to = PULL, .endpoint = "tcp://127.0.0.1:*"},
      {.from = PUSH, .to = PULL, .endpoint = "ipc://*"},
      {.from = DEALER, .to = ROUTER, .endpoint = "tcp://127.0.0.1:*"},
      {.from = PAIR, .to = PAIR, .endpoint = NULL},
      {.from = PUSH, .to = PULL, .endpoint = NULL, .through = 1},
      {.from = PUSH, .to = PULL, .endpoint = "tcp://127.0.0.1:*", .through = 1},
  };
  void *context;
  home = ct_home(-1);
  for (unsigned i = 0; i < sizeof routes / sizeof *routes; i++) {
    route r = routes[i];
    r.each = 150 * ct_rounds;
    WORKS(gz_ctx_open(&context));
    run(context, &r);
    WORKS(gz_ctx_term(context));
  }
  gz_buffers_free(pool.free);
  gz_buffers_free(ct_take(home));
  CHECK(__atomic_load_n(&home->live, __ATOMIC_SEQ_CST) == 0);
  gz_home_close(home);
}
