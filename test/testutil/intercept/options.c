#include "intercept.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static gz_api real;
static int64_t calls;

/* Reports whether libzmq has the option. Asking for an unknown option is no fault: this is how
 * callers find out which options there are. A buffer of the right size reads any known option. */
static int known(void *s, int option) {
  const size_t sizes[] = {sizeof(int), sizeof(int64_t), 4096};
  char buf[4096];
  for (int i = 0; i < 3; i++) {
    size_t len = sizes[i];
    if (real.getsockopt(s, option, buf, &len) == 0 || errno != EINVAL) return 1;
  }
  return 0;
}

static int set_option(void *s, int option, const void *value, size_t n) {
  int rc = real.setsockopt(s, option, value, n);
  int err = errno;
  __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (rc < 0 && err == EINVAL && known(s, option)) {
    fprintf(stderr, "Assertion failed: option %d was given %zu bytes that libzmq refuses", option, n);
    if (n == sizeof(int)) fprintf(stderr, ": %d", *(const int *)value);
    fprintf(stderr, "\n");
    abort();
  }
  gi_restore_errno(err);
  return rc;
}

void gi_abort_on_bad_options(gz_api *table) {
  if (real.setsockopt) return;
  real = *table;
  table->setsockopt = set_option;
}

int64_t gi_option_calls(void) { return __atomic_load_n(&calls, __ATOMIC_RELAXED); }
