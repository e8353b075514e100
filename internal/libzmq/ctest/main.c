#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctest.h"

int ct_rounds = 1;

void ct_fail(const char *file, int line, const char *what, int rc) {
  fprintf(stderr, "ctest: %s:%d: %s", file, line, what);
  if (rc) fprintf(stderr, ": %s", strerror(-rc));
  fprintf(stderr, "\n");
  _exit(1);
}

int64_t ct_works(int64_t rc, const char *file, int line, const char *what) {
  if (rc < 0) ct_fail(file, line, what, (int)rc);
  return rc;
}

ct_socket *ct_open(void *context, int type) {
  ct_socket *s = calloc(1, sizeof *s);
  CHECK(s);
  WORKS(gz_socket_open(context, type, &s->s));
  /* Thread-safe sockets have no descriptor of their own. */
  s->fd = type < SERVER ? (int)WORKS(gz_dup((int)WORKS(gz_get_int(s->s, OPT_FD)))) : -1;
  pthread_mutex_init(&s->lock, NULL);
  return s;
}

void ct_close(ct_socket *s) {
  WORKS(gz_socket_close(s->s, 0, 1, 0));
  if (s->fd >= 0) close(s->fd);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

void ct_set_int(ct_socket *s, int option, int value) {
  WORKS(gz_set_option(s->s, option, (const uint8_t *)&value, sizeof value));
}

/* Connects two sockets. A wildcard becomes an address, which where receives. */
void ct_link(ct_socket *binds, ct_socket *connects, const char *endpoint, char *where) {
  char address[ENDPOINT];
  int64_t n = sizeof address;
  WORKS(gz_bind(binds->s, endpoint));
  WORKS(gz_get_option(binds->s, OPT_LAST_ENDPOINT, (uint8_t *)address, &n));
  WORKS(gz_connect(connects->s, address));
  if (where) memcpy(where, address, (size_t)n);
}

/* Waits until a descriptor is readable; poll ignores a negative one. */
int ct_nap(int fd, int milliseconds) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, milliseconds);
}

void ct_wait(ct_socket *s) { ct_nap(s->fd, 2); }

void ct_name(char *name) {
  static int last;
  snprintf(name, ENDPOINT, "inproc://ctest-%d", __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED));
}

/* As Msg.Lend. */
void ct_lend(gz_msg *m, gz_buffer *b, void *content, int64_t size) {
  m->raw.opaque[0] = (uintptr_t)b;
  m->data = (uintptr_t)content;
  m->size = size;
  m->offset = 0;
  m->flags = GZ_OURS;
}

static void load(void) {
  char where[256], err[4096];
  const char *path = getenv("GOZMQ_LIBRARY");
  CHECK(gz_load("/nowhere/libzmq.so.5", where, sizeof where, err, sizeof err) < 0);
  CHECK(strstr(err, "/nowhere/libzmq.so.5"));
  CHECK(gz_load("libm.so.6", where, sizeof where, err, sizeof err) < 0);
  CHECK(strstr(err, "has no zmq_version"));
  if (path && !*path) path = NULL;
  if (gz_privileged()) path = NULL;
  if (gz_load(path, where, sizeof where, err, sizeof err) < 0) {
    fprintf(stderr, "ctest: %s\n", err);
    _exit(1);
  }
  CHECK(gz_guard());
}

/* Each part runs in a thread of its own, all at the same time. */
static void *run(void *part) {
  ((void (*)(void))part)();
  return NULL;
}

int main(int argc, char **argv) {
  void (*const parts[])(void) = {ct_stack, ct_traffic, ct_messages, ct_contexts, ct_sockets, ct_drafts};
  enum { PARTS = sizeof parts / sizeof *parts };
  pthread_t threads[PARTS];
  if (argc > 1) ct_rounds = atoi(argv[1]);
  ct_count_begin();
  load();
  ct_promise();
  for (int i = 0; i < PARTS; i++) CHECK(pthread_create(&threads[i], NULL, run, (void *)parts[i]) == 0);
  for (int i = 0; i < PARTS; i++) pthread_join(threads[i], NULL);
  ct_limits(); /* by itself, since it takes all descriptors */
  return ct_count_end(gz.has("draft"));
}
