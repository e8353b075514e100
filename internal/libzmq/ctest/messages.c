#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ctest.h"

/* Single messages, without a socket or between two ends of one thread. */

static void contents(gz_home *home) {
  for (int64_t size = 0; size < 100; size += 11) {
    gz_msg m = {0}, twin = {0};
    WORKS(gz_msg_alloc(&m, size));
    memset(bytes_of(&m), 'x', (size_t)size);
    WORKS(gz_msg_clone(&twin, &m));
    CHECK(twin.size == size && (size == 0 || memcmp(bytes_of(&m), bytes_of(&twin), (size_t)size) == 0));
    if (size > 33) CHECK(gz_msg_shared(&m) && gz_msg_shared(&twin));
    WORKS(gz_msg_alloc(&m, 5)); /* releases what it held */
    gz_msgs_close(&twin, 1);
    gz_msgs_close(&m, 1);
    gz_msgs_close(&m, 1);
  }
  gz_msg absurd = {0};
  CHECK(gz_msg_alloc(&absurd, (int64_t)1 << 62) == -ENOMEM);

  /* Content that libzmq has not seen: cloned, copied out, given back. */
  for (int lend = 0; lend < 2; lend++) {
    gz_msg m[3] = {{.flags = 0}};
    gz_buffer *b = gz_buffers_alloc(home, 100, 0, 0, 1);
    memset(b + 1, 7, 100);
    ct_lend(&m[0], b, b + 1, 100);
    if (lend) WORKS(gz_msg_clone(&m[1], &m[0]));
    if (!lend) WORKS(gz_msg_copy_out(&m[0]));
    CHECK(bytes_of(&m[0])[99] == 7);
    gz_msgs_close(m, 3);
    b = ct_take(home);
    CHECK(b && !b->next);
    gz_buffers_free(b);
  }
  uint8_t looked_at[10] = "looked at";
  gz_msg view, twin = {0};
  ct_lend(&view, NULL, looked_at, 10);
  WORKS(gz_msg_clone(&twin, &view));
  CHECK(twin.size == 10);
  gz_msgs_close(&view, 1);
  gz_msgs_close(&twin, 1);
}

/* What cannot be sent stays its owner's. */
static void refused(void *context) {
  uint8_t bytes[100] = {0};
  gz_msg m[2] = {{.flags = 0}};
  int32_t starts[] = {0, 2};
  gz_traffic traffic = {0};
  ct_socket *push = ct_open(context, PUSH), *req = ct_open(context, REQ), *pull = ct_open(context, PULL);
  WORKS(gz_msg_alloc(&m[0], 50));
  WORKS(gz_msg_alloc(&m[1], 50));
  CHECK(rc_of(gz_send1(push->s, bytes, 100, 0)) == -EAGAIN);
  CHECK(rc_of(gz_send2(push->s, bytes, 100, bytes, 0, GZ_INEXACT)) == -EAGAIN);
  CHECK(rc_of(gz_send_msgs(push->s, m, 2, GZ_WANT_EVENTS)) == -EAGAIN);
  CHECK(rc_of(gz_send_batch(push->s, m, starts, 1, &traffic, 0)) == -EAGAIN);
  CHECK(rc_of(gz_send_msgs(req->s, m, 2, 0)) == -EAGAIN);
  CHECK(rc_of(gz_recv(req->s, &m[0], NULL, 0, 0, 0)) == -GZ_EFSM);
  CHECK(m[0].flags == 0); /* and released what it held */
  CHECK(rc_of(gz_recv(push->s, &m[1], NULL, 0, 0, 0)) == -ENOTSUP);
  CHECK(rc_of(gz_recv(pull->s, &m[1], NULL, 0, 0, GZ_WANT_EVENTS)) == -EAGAIN);
  CHECK(events_of(gz_events(pull->s)) == 0);
  gz_msgs_close(m, 2);
  ct_close(push);
  ct_close(req);
  ct_close(pull);
}

/* A request and its reply, and a property of the connection. */
static void round_trip(void *context) {
  gz_msg m[3] = {{.flags = 0}};
  uint8_t address[64];
  ct_socket *rep = ct_open(context, REP), *req = ct_open(context, REQ);
  ct_link(rep, req, "tcp://127.0.0.1:*", NULL);
  int rc;
  while ((rc = rc_of(gz_send1(req->s, (const uint8_t *)"question", 8, 0))) == -EAGAIN) ct_wait(req);
  WORKS(rc);
  while ((rc = rc_of(gz_recv(rep->s, &m[0], m + 1, 2, 0, 0))) == -EAGAIN) ct_wait(rep);
  CHECK(rc == 1 && m[0].size == 8);
  rc = (int)WORKS(gz_msg_property(&m[0], "Peer-Address", address, sizeof address));
  CHECK(rc == 9 && memcmp(address, "127.0.0.1", 9) == 0);
  CHECK(gz_msg_property(&m[0], "Peer-Address", address, 3) == 9);
  CHECK(gz_msg_property(&m[0], "Nothing", address, sizeof address) == -EINVAL);
  CHECK(gz_msg_property(&m[1], "Peer-Address", address, sizeof address) == -EINVAL);
  WORKS(rc_of(gz_send_msgs(rep->s, &m[0], 1, 0)));
  while ((rc = rc_of(gz_recv(req->s, &m[0], m + 1, 2, 0, 0))) == -EAGAIN) ct_wait(req);
  CHECK(rc == 1 && memcmp(bytes_of(&m[0]), "question", 8) == 0);
  gz_msgs_close(m, 3);
  ct_close(rep);
  ct_close(req);
}

/* Lent content that goes to several receivers, and to none. */
static void fan_out(void *context, gz_home *home) {
  enum { SUBS = 3, XPUB_VERBOSE = 40 }; /* verbose: it hears of each subscriber */
  ct_socket *pub = ct_open(context, XPUB), *subs[SUBS];
  char name[ENDPOINT];
  ct_name(name);
  ct_set_int(pub, XPUB_VERBOSE, 1);
  WORKS(gz_bind(pub->s, name));
  for (int i = 0; i < SUBS; i++) {
    subs[i] = ct_open(context, SUB);
    WORKS(gz_set_option(subs[i]->s, OPT_SUBSCRIBE, NULL, 0));
    WORKS(gz_connect(subs[i]->s, name));
  }
  for (int64_t known = 0; known < SUBS;) {
    int rc = gz_count_subscriptions(pub->s, &known);
    CHECK(rc == -EAGAIN || rc == 1);
    ct_wait(pub);
  }
  for (int i = 0; i < 500; i++) {
    gz_buffer *b = gz_buffers_alloc(home, 500, 0, 0, 1);
    gz_msg m = {0};
    memset(b + 1, i, 500);
    ct_lend(&m, b, b + 1, 500);
    WORKS(rc_of(gz_send_msgs(pub->s, &m, 1, 0)));
    for (int at = 0; at < SUBS; at++) {
      int rc;
      while ((rc = rc_of(gz_recv(subs[at]->s, &m, NULL, 0, 0, 0))) == -EAGAIN) ct_wait(subs[at]);
      CHECK(rc == 1 && m.size == 500 && bytes_of(&m)[499] == (uint8_t)i);
      gz_msgs_close(&m, 1);
    }
    CHECK(ct_take(home) == b);
    gz_buffers_free(b);
  }
  for (int i = 0; i < SUBS; i++) ct_close(subs[i]);
  ct_close(pub);
}

/* What an XSUB sends to two XPUBs: each part is one that can be cloned, and closed. */
static void upstream(void *context) {
  enum { PARTS = 5, SIZE = 500 };
  ct_socket *xsub = ct_open(context, XSUB), *xpubs[2];
  char name[ENDPOINT];
  for (int i = 0; i < 2; i++) {
    xpubs[i] = ct_open(context, XPUB);
    ct_name(name);
    WORKS(gz_bind(xpubs[i]->s, name));
    WORKS(gz_connect(xsub->s, name));
  }
  gz_msg m[PARTS] = {{.flags = 0}}, twin = {0};
  int32_t starts[2] = {0};
  for (int i = 0; i < PARTS; i++) {
    WORKS(gz_msg_alloc(&m[i], SIZE));
    memset(bytes_of(&m[i]), 'a' + i, SIZE);
  }
  WORKS(rc_of(gz_send_msgs(xsub->s, m, PARTS, 0)));
  for (int at = 0; at < 2; at++) {
    int rc;
    do rc = rc_of(at ? gz_recv(xpubs[at]->s, &m[0], m + 1, 1, 0, GZ_UPSTREAM)
                     : gz_recv_batch(xpubs[at]->s, m, 2, 0, 0, starts, 1, INT64_MAX, GZ_UPSTREAM));
    while (rc == -EAGAIN && (ct_wait(xpubs[at]), 1));
    CHECK(rc == 2 && gz_recv_rest(xpubs[at]->s, m + 2, PARTS - 2, GZ_UPSTREAM) == PARTS - 2);
    for (int i = 0; i < PARTS; i++) {
      WORKS(gz_msg_clone(&twin, &m[i]));
      gz_msgs_close(&m[i], 1);
      CHECK(twin.size == SIZE && bytes_of(&twin)[SIZE - 1] == 'a' + i);
      gz_msgs_close(&twin, 1);
    }
  }
  ct_close(xsub);
  for (int i = 0; i < 2; i++) ct_close(xpubs[i]);
}

void ct_messages(void) {
  void *context;
  gz_home *home = ct_home(-1);
  for (int i = 0; i < ct_rounds; i++) {
    WORKS(gz_ctx_open(&context));
    contents(home);
    refused(context);
    round_trip(context);
    fan_out(context, home);
    upstream(context);
    WORKS(gz_ctx_term(context));
  }
  gz_buffers_free(ct_take(home));
  CHECK(__atomic_load_n(&home->live, __ATOMIC_SEQ_CST) == 0);
  gz_home_close(home);
}
