#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "shim.h"

int gz_ctx_open(void **ctx) {
  *ctx = gz.ctx_new();
  return *ctx ? 0 : -errno;
}

int gz_ctx_set(void *ctx, int option, int value) { return gz.ctx_set(ctx, option, value) < 0 ? -errno : 0; }

/* -1 is a valid value (the default scheduling policy), so errno tells whether the call
 * failed. */
int gz_ctx_get(void *ctx, int option, int *value) {
  errno = 0;
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

/* Checks that n more file descriptors can be opened. The first socket of a context starts
 * threads that abort the process if they cannot open theirs. */
int gz_probe_fds(int n) {
  int *fds = malloc(sizeof(int) * (size_t)n), rc = 0, got = 0;
  if (!fds) return -ENOMEM;
  for (; got < n; got++) {
    fds[got] = got ? fcntl(fds[0], F_DUPFD_CLOEXEC, 0) : open("/dev/null", O_RDONLY | O_CLOEXEC);
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
