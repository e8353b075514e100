#include <errno.h>
#include <sys/resource.h>

#include "shim.h"

/* Calls zmq_poll for file descriptors only, without a socket. It blocks its thread.
 * libzmq would abort if there were more items than the process may have descriptors. */
int gz_poll_fds(gz_poll_item *items, int n, long timeout_ms) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)n > limit.rlim_cur) return -EMFILE;
  int rc;
  do rc = gz.poll(items, n, timeout_ms); /* no deadline to adjust after EINTR */
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}
