#include <errno.h>

#include "shim.h"

int gz_ctx_open(void **ctx) {
  *ctx = gz.ctx_new();
  return *ctx ? 0 : -errno;
}

int gz_ctx_set(void *ctx, int option, int value) { return gz.ctx_set(ctx, option, value) < 0 ? -errno : 0; }

/* -1 is also a value: the default scheduling policy. Every libzmq has that option. */
int gz_ctx_get(void *ctx, int option, int *value) {
  *value = gz.ctx_get(ctx, option);
  enum { THREAD_SCHED_POLICY = 4 };
  return *value == -1 && option != THREAD_SCHED_POLICY ? -errno : 0;
}

int gz_ctx_shutdown(void *ctx) { return gz.ctx_shutdown(ctx) < 0 ? -errno : 0; }

/* Blocks until every socket is closed. If a signal interrupts the call, it is
 * repeated. */
int gz_ctx_term(void *ctx) {
  int rc;
  do rc = gz.ctx_term(ctx);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}
