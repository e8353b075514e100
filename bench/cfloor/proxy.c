#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "floor.h"

struct cf_proxy {
  const gz_api *z;
  void *frontend, *backend;
  pthread_t thread;
};

static void *proxy_thread(void *arg) {
  cf_proxy *p = arg;
  while (p->z->proxy(p->frontend, p->backend, NULL) < 0 && errno == EINTR) continue;
  return NULL;
}

int cf_proxy_start(const gz_api *z, void *frontend, void *backend, cf_proxy **out) {
  cf_proxy *p = malloc(sizeof *p);
  sigset_t all, before;
  if (!p) return -ENOMEM;
  *p = (cf_proxy){.z = z, .frontend = frontend, .backend = backend};
  /* The thread blocks all signals, like libzmq's own threads, because the Go runtime uses
   * them. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = pthread_create(&p->thread, NULL, proxy_thread, p);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (rc) {
    free(p);
    return -rc;
  }
  *out = p;
  return 0;
}

void cf_proxy_join(cf_proxy *p) {
  pthread_join(p->thread, NULL);
  free(p);
}
