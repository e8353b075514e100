#include <errno.h>

#include "shim.h"

int gz_ctx_open(void **ctx) {
  *ctx = gz.ctx_new();
  return *ctx ? 0 : -errno;
}

int gz_ctx_set(void *ctx, int option, int value) { return gz.ctx_set(ctx, option, value) < 0 ? -errno : 0; }

/* -1 is a valid value (the default scheduling policy), so errno tells whether the call
 * failed. Windows has no scheduling policies, and libzmq's errno cannot be set there. */
int gz_ctx_get(void *ctx, int option, int *value) {
#ifndef _WIN32
  errno = 0;
#endif
  *value = gz.ctx_get(ctx, option);
  return *value == -1 && errno ? -errno : 0;
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
