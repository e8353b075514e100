#include "vendored.h"

#include "api.h"

__attribute__((common)) gozmq_vendored *gozmq_vendored_list;

const gozmq_vendored *gz_taken;

const char *gz_take(const gozmq_vendored *v) {
  gz_api table = {0};
#ifdef _WIN32
  gz_last_error = (int (*)(void))v->function("zmq_errno");
  if (!gz_last_error) return "zmq_errno";
#endif
#define GZ_RESOLVE(required, ret, fn, params)                                  \
  *(void **)&table.fn = v->function("zmq_" #fn);                               \
  if (required && !table.fn) return "zmq_" #fn;
  GZ_FUNCTIONS(GZ_RESOLVE)
#undef GZ_RESOLVE
  gz = table;
  gz_taken = v;
  return NULL;
}
