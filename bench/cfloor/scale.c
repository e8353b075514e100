#define _GNU_SOURCE
#include "scale.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base.h"

enum { PULL = 7, PUSH = 8, LINGER = 17, SNDHWM = 23, RCVHWM = 24, MAX_SOCKETS = 2, POLLIN_ = 1 };

static void *open_socket(cf_scale *s, int type) {
  int zero = 0;
  void *socket = s->z->socket(s->ctx, type);
  if (socket) {
    s->z->setsockopt(socket, LINGER, &zero, sizeof zero);
    s->z->setsockopt(socket, SNDHWM, &zero, sizeof zero);
    s->z->setsockopt(socket, RCVHWM, &zero, sizeof zero);
  }
  return socket;
}

int cf_scale_open(const gz_api *z, int sockets, cf_scale **out) {
  cf_scale *s = calloc(1, sizeof *s);
  if (!s) return -ENOMEM;
  s->z = z;
  s->items = calloc((size_t)sockets, sizeof *s->items);
  s->ctx = z->ctx_new();
  int rc = s->items && s->ctx ? 0 : -ENOMEM;
  if (!rc && z->ctx_set(s->ctx, MAX_SOCKETS, sockets + 10) < 0) rc = -errno;
  if (!rc && !(s->push = open_socket(s, PUSH))) rc = -errno;
  for (int i = 0; !rc && i < sockets; i++) {
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "inproc://scale-%d", i);
    void *pull = open_socket(s, PULL);
    if (!pull) {
      rc = -errno;
      break;
    }
    s->items[s->n++] = (struct poll_item){pull, 0, POLLIN_, 0};
    rc = cf_attach(z->bind, pull, endpoint);
    if (!rc) rc = cf_attach(z->connect, s->push, endpoint);
  }
  if (rc) {
    cf_scale_close(s);
    return rc;
  }
  *out = s;
  return 0;
}

void cf_scale_close(cf_scale *s) {
  for (int i = 0; i < s->n; i++) s->z->close(s->items[i].socket);
  if (s->push) s->z->close(s->push);
  if (s->ctx) {
    int rc;
    do rc = s->z->ctx_term(s->ctx);
    while (rc < 0 && errno == EINTR);
  }
  free(s->items);
  free(s);
}

static int poll_all(cf_scale *s) {
  int rc;
  do rc = s->z->poll(s->items, s->n, -1);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}

static int send_one(cf_scale *s) {
  int rc;
  do rc = s->z->send(s->push, "x", 1, 0);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Sends a message to the next socket in turn, polls, and receives it. */
int cf_scale_one(cf_scale *s, int64_t polls) {
  char buf[8];
  int64_t start = cf_now(CLOCK_MONOTONIC);
  for (int64_t i = 0; i < polls; i++) {
    int rc = send_one(s);
    if (!rc) rc = poll_all(s);
    if (rc < 0) return rc;
    if (rc != 1) return -EBADMSG;
    int at = 0;
    while (!s->items[at].revents) at++;
    do rc = s->z->recv(s->items[at].socket, buf, sizeof buf, 0);
    while (rc < 0 && errno == EINTR);
    if (rc != 1) return rc < 0 ? -errno : -EBADMSG;
  }
  s->elapsed_ns = cf_now(CLOCK_MONOTONIC) - start;
  return 0;
}

/* Sends a message to each socket. */
int cf_scale_fill(cf_scale *s) {
  int rc = 0;
  for (int i = 0; i < s->n && !rc; i++) rc = send_one(s);
  return rc;
}

/* Polls while all sockets are ready. */
int cf_scale_all(cf_scale *s, int64_t polls) {
  int64_t start = cf_now(CLOCK_MONOTONIC);
  for (int64_t i = 0; i < polls; i++) {
    int rc = poll_all(s);
    if (rc < 0) return rc;
    if (rc != s->n) return -EBADMSG;
  }
  s->elapsed_ns = cf_now(CLOCK_MONOTONIC) - start;
  return 0;
}
