#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "ctest.h"

/* A program may have its own accept4. The guard calls it for libzmq (-rdynamic). */
static long accepts;
int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  __atomic_add_fetch(&accepts, 1, __ATOMIC_RELAXED);
  return (int)syscall(SYS_accept4, fd, address, len, flags);
}

/* No descriptor is left. Without the guard, a peer that connects over ipc makes libzmq
 * abort. */
void ct_limits(void) {
  void *context;
  char where[ENDPOINT] = "";
  gz_msg m = {0};
  struct rlimit before, none;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  WORKS(gz_ctx_open(&context));
  ct_socket *pull = ct_open(context, PULL), *push = ct_open(context, PUSH);
  ct_link(pull, push, "ipc://*", where);
  int peer = socket(AF_UNIX, SOCK_STREAM, 0), rc;
  CHECK(peer >= 0);
  memcpy(address.sun_path, where + strlen("ipc://"), strlen(where) - strlen("ipc://"));
  /* Connected, so that its thread opens nothing more. */
  while ((rc = rc_of(gz_send1(push->s, (const uint8_t *)"x", 1, 0))) == -EAGAIN) ct_wait(push);
  WORKS(rc);
  while ((rc = rc_of(gz_recv(pull->s, &m, NULL, 0, 0, 0))) == -EAGAIN) ct_wait(pull);
  WORKS(rc);

  CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
  none = before;
  none.rlim_cur = (rlim_t)WORKS(gz_dup(0));
  close((int)none.rlim_cur);
  CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
  CHECK(gz_probe_fds(1) == -EMFILE);
  long asked = __atomic_load_n(&accepts, __ATOMIC_RELAXED);
  CHECK(connect(peer, (struct sockaddr *)&address, sizeof address) == 0);
  /* Once: valgrind accepts the peer, closes it and reports EMFILE. */
  while (__atomic_load_n(&accepts, __ATOMIC_RELAXED) == asked) ct_nap(-1, 1);
  ct_close(push);
  CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);

  /* And peers are accepted again. */
  close(peer);
  push = ct_open(context, PUSH);
  WORKS(gz_connect(push->s, where));
  while ((rc = rc_of(gz_send1(push->s, (const uint8_t *)"x", 1, 0))) == -EAGAIN) ct_wait(push);
  while ((rc = rc_of(gz_recv(pull->s, &m, NULL, 0, 0, 0))) == -EAGAIN) ct_wait(pull);
  WORKS(rc);
  gz_msgs_close(&m, 1);
  ct_close(push);
  ct_close(pull);
  WORKS(gz_ctx_term(context));
}
