//go:build !windows && (zmq_link || zmq_static)

#include <stdio.h>

#include "api.h"

/* libzmq was linked at build time, so the table points to its functions. The functions of
 * the draft API are weak symbols: they are NULL if the library lacks them. */
#define GZ_LINKAGE_0 __attribute__((weak))
#define GZ_LINKAGE_1
#define GZ_EXTERN(required, ret, fn, params) extern ret zmq_##fn params GZ_LINKAGE_##required;
GZ_FUNCTIONS(GZ_EXTERN)
#undef GZ_EXTERN

gz_api gz;

int gz_load(const char *path, char *where, size_t where_len, char *err, size_t err_len) {
  if (path) {
    snprintf(err, err_len, "%s: this program was linked with libzmq at build time and loads no other", path);
    return -1;
  }
#define GZ_TAKE(required, ret, fn, params) gz.fn = zmq_##fn;
  GZ_FUNCTIONS(GZ_TAKE)
#undef GZ_TAKE
  snprintf(where, where_len, "linked at build time");
  return 0;
}
