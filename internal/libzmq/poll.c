#include <errno.h>
#include <sys/resource.h>

#include "shim.h"

/* zmq_poll for file descriptors alone: no socket is touched. It blocks its thread.
 * With more items than the process may have descriptors libzmq would abort. */
int gz_poll_fds(gz_poll_item *items, int n, long timeout_ms) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)n > limit.rlim_cur) return -EMFILE;
  int rc;
  do rc = gz.poll(items, n, timeout_ms); /* without a limit or a wait, EINTR can be repeated */
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}
