#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctest.h"

/* Contexts, and what is done to sockets besides sending and receiving. */

enum { CTX_IO_THREADS = 1, CTX_MAX_SOCKETS = 2, CTX_IPV6 = 42, CTX_THREAD_NAME_PREFIX = 9 };

/* Blocks until the others have closed their sockets. */
static void *term(void *context) {
  WORKS(gz_ctx_term(context));
  return NULL;
}

void ct_contexts(void) {
  for (int i = 0; i < 3 * ct_rounds; i++) {
    void *context;
    int value;
    char public[41], secret[41], again[41];
    uint8_t text[32];
    pthread_t thread;
    WORKS(gz_ctx_open(&context));
    WORKS(gz_ctx_set(context, CTX_IO_THREADS, 2));
    CHECK(gz_ctx_set(context, CTX_IO_THREADS, -1) == -EINVAL);
    WORKS(gz_ctx_get(context, CTX_IO_THREADS, &value));
    CHECK(value == 2);
    CHECK(gz_ctx_get(context, 9999, &value) == -EINVAL);
    int rc = gz_ctx_set_text(context, CTX_THREAD_NAME_PREFIX, (const uint8_t *)"ct", 2);
    CHECK(rc == 0 || rc == -ENOTSUP);
    CHECK(gz_ctx_get_text(context, CTX_THREAD_NAME_PREFIX, text, sizeof text) == rc);
    if (rc == 0) CHECK(memcmp(text, "ct", 3) == 0);
    WORKS(gz_probe_fds(5));
    WORKS(gz_probe_threads(3, -1, -1));
    CHECK(gz_probe_threads(1, 999, -1) == -EINVAL);
    ct_socket *s = ct_open(context, PULL);
    CHECK(pthread_create(&thread, NULL, term, context) == 0);
    WORKS(gz_ctx_shutdown(context));
    gz_msg m = {0};
    while (rc_of(gz_recv(s->s, &m, NULL, 0, 0, 0)) != -GZ_ETERM) ct_wait(s);
    CHECK(events_of(gz_events(s->s)) == GZ_POLLTERM);
    CHECK(gz_set_option(s->s, OPT_RCVHWM, (const uint8_t *)&value, sizeof value) == -GZ_ETERM);
    ct_close(s);
    pthread_join(thread, NULL);
    rc = gz_curve_keypair(public, secret);
    CHECK(rc == 0 || rc == -ENOTSUP);
    if (rc) continue;
    WORKS(gz_curve_public(again, secret));
    CHECK(strcmp(public, again) == 0);
  }
}

static void options(ct_socket *s) {
  uint8_t buf[256];
  int64_t n = sizeof buf;
  CHECK(gz_get_int(s->s, OPT_TYPE) == DEALER);
  WORKS(gz_set_option(s->s, OPT_ROUTING_ID, (const uint8_t *)"ctest", 5));
  WORKS(gz_get_option(s->s, OPT_ROUTING_ID, buf, &n));
  CHECK(n == 5 && memcmp(buf, "ctest", 5) == 0);
  n = 1;
  CHECK(gz_get_option(s->s, OPT_ROUTING_ID, buf, &n) == -EINVAL);
  CHECK(gz_set_option(s->s, OPT_ROUTING_ID, buf, 0) == -EINVAL);
  CHECK(gz_get_int(s->s, 9999) == -EINVAL);
}

static void endpoints(ct_socket *s) {
  char name[ENDPOINT];
  ct_name(name);
  WORKS(gz_bind(s->s, name));
  CHECK(gz_bind(s->s, name) == -EADDRINUSE);
  WORKS(gz_unbind(s->s, name));
  CHECK(gz_unbind(s->s, name) == -ENOENT);
  CHECK(gz_bind(s->s, "nonsense") == -EINVAL);
  WORKS(gz_connect(s->s, "tcp://127.0.0.1:1"));
  WORKS(gz_disconnect(s->s, "tcp://127.0.0.1:1"));
  CHECK(gz_disconnect(s->s, "tcp://127.0.0.1:1") == -ENOENT);
}

/* Reports of a socket's connections, read by another thread. */
struct reports {
  ct_socket *sink;
  int stopped, all;
};

static void *read_reports(void *arg) {
  struct reports *r = arg;
  enum { STOPPED = 0x0400 };
  gz_msg m[8] = {{.flags = 0}};
  while (!r->stopped) {
    pthread_mutex_lock(&r->sink->lock);
    int n = rc_of(gz_recv(r->sink->s, &m[0], m + 1, 7, 7, 0));
    pthread_mutex_unlock(&r->sink->lock);
    if (n == -EAGAIN) {
      ct_wait(r->sink);
      continue;
    }
    CHECK(n >= 2 && m[0].size == 2); /* who reports, and what */
    uint64_t event = 0;
    memcpy(&event, bytes_of(&m[1]), gz_monitor_versioned() ? 8 : 2);
    r->stopped = event == STOPPED;
    r->all++;
  }
  gz_msgs_close(m, 8);
  return NULL;
}

static void monitored(void *context) {
  enum { ROUTER_MANDATORY = 33 };
  char name[ENDPOINT];
  pthread_t thread;
  struct reports r = {.sink = ct_open(context, ROUTER)};
  ct_socket *s = ct_open(context, PULL), *peer = ct_open(context, PUSH);
  ct_name(name);
  ct_set_int(r.sink, OPT_RCVHWM, 0);
  WORKS(gz_monitor_start(s->s, r.sink->s, name, (const uint8_t *)"id", 2, 0xffff));
  CHECK(pthread_create(&thread, NULL, read_reports, &r) == 0);
  ct_link(s, peer, "tcp://127.0.0.1:*", NULL);
  for (int rc; (rc = rc_of(gz_send1(peer->s, (const uint8_t *)"x", 1, 0))) != 0; ct_wait(peer)) CHECK(rc == -EAGAIN);
  int rc = gz_monitor_pipes(s->s);
  CHECK(rc == 0 || rc == -ENOTSUP || rc == -EAGAIN || rc == -EINVAL);
  WORKS(gz_monitor_stop(s->s));
  pthread_join(thread, NULL);
  CHECK(r.all >= 2);
  ct_close(peer);
  ct_close(s);
  ct_close(r.sink);
}

static void descriptors(void) {
  int pipes[2];
  CHECK(pipe(pipes) == 0);
  CHECK(!gz_readable(pipes[0]));
  gz_poll_item items[] = {{NULL, pipes[0], GZ_POLLIN, 0}};
  CHECK(gz_poll_fds(items, 1, 0) == 0);
  CHECK(write(pipes[1], "x", 1) == 1);
  CHECK(gz_readable(pipes[0]));
  CHECK(gz_poll_fds(items, 1, 10000) == 1 && items[0].revents == GZ_POLLIN);
  CHECK(gz_poll_fds(NULL, 1 << 30, 0) == -EMFILE);
  CHECK(gz_dup(-1) == -EBADF);
  close(pipes[0]);
  close(pipes[1]);
}

void ct_sockets(void) {
  void *context;
  WORKS(gz_ctx_open(&context));
  for (int i = 0; i < 3 * ct_rounds; i++) {
    ct_socket *s = ct_open(context, DEALER);
    options(s);
    endpoints(s);
    ct_close(s);
    monitored(context);
    descriptors();
  }
  WORKS(gz_ctx_term(context));
}
