//go:build unix

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim.h"

/* Duplicates libzmq's own descriptor, which go-zmq never exposes: if a caller closed it,
 * libzmq would abort the process. */
gz_fd gz_dup(gz_fd fd) {
  int rc = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return rc < 0 ? -errno : rc;
}

int gz_readable(gz_fd fd) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  int rc;
  do rc = poll(&p, 1, 0);
  while (rc < 0 && errno == EINTR);
  return rc > 0;
}

/* Reads the signal of a zmq_poller. */
void gz_consume(gz_fd fd) {
  uint64_t used;
  if (read(fd, &used, sizeof used) < 0) return;
}

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

/* Opens a file that is always there. An image from scratch has no devices. */
static int open_any(void) {
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return fd < 0 && errno == ENOENT ? open("/", O_RDONLY | O_CLOEXEC) : fd;
}

/* Checks that n more file descriptors can be opened. The first socket of a context starts
 * threads that abort the process if they cannot open theirs. */
int gz_probe_fds(int n) {
  int *fds = malloc(sizeof(int) * (size_t)n), rc = 0, got = 0;
  if (!fds) return -ENOMEM;
  for (; got < n; got++) {
    fds[got] = got ? fcntl(fds[0], F_DUPFD_CLOEXEC, 0) : open_any();
    if (fds[got] < 0) {
      rc = -errno;
      break;
    }
  }
  while (got > 0) close(fds[--got]);
  free(fds);
  return rc;
}

struct probe {
  pthread_mutex_t gate;
  int policy, priority, rc;
};

/* Does what libzmq later does to its own threads, which abort the process on failure. */
static void *probe_thread(void *arg) {
  struct probe *p = arg;
  int policy = 0, rc = 0;
  struct sched_param param;
  pthread_mutex_lock(&p->gate); /* all threads of the probe exist at the same time */
  if (p->policy >= 0 || p->priority >= 0) {
    rc = pthread_getschedparam(pthread_self(), &policy, &param);
    if (!rc && p->policy >= 0) policy = p->policy;
    int realtime = policy == SCHED_FIFO || policy == SCHED_RR;
    if (!rc && p->priority >= 0) param.sched_priority = realtime ? p->priority : 0;
    if (!rc) rc = pthread_setschedparam(pthread_self(), policy, &param);
#ifdef __linux__
    /* On Linux nice applies to the calling thread only. */
    if (!rc && !realtime && p->priority > 0) {
      errno = 0;
      if (nice(-20) == -1 && errno) rc = errno;
    }
#endif
    if (rc) p->rc = -rc;
  }
  pthread_mutex_unlock(&p->gate);
  return NULL;
}

/* Checks that n threads can be started with this scheduling policy and priority. A value
 * of -1 keeps the default. */
int gz_probe_threads(int n, int policy, int priority) {
  struct probe p = {.gate = PTHREAD_MUTEX_INITIALIZER, .policy = policy, .priority = priority};
  pthread_t *threads = malloc(sizeof(pthread_t) * (size_t)n);
  int started = 0, rc = 0;
  if (!threads) return -ENOMEM;
  pthread_mutex_lock(&p.gate);
  for (; started < n && !rc; started++) {
    rc = pthread_create(&threads[started], NULL, probe_thread, &p);
    if (rc) break;
  }
  pthread_mutex_unlock(&p.gate);
  while (started > 0) pthread_join(threads[--started], NULL);
  free(threads);
  return rc ? -rc : p.rc;
}
