#define _GNU_SOURCE
#include "bystander_linux.h"

#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { RECV_FROM, ACCEPT4, EPOLL_WAIT };
enum { SECONDS = 20 };

int by_next_size(int fd) {
  ssize_t n = recvfrom(fd, NULL, 0, MSG_PEEK | MSG_TRUNC, NULL, NULL);
  return n < 0 ? -errno : (int)n;
}

typedef struct {
  int in, fd;
} place;

/* Waits for what never comes. */
static void *wait_there(void *data) {
  place *at = data;
  struct epoll_event event;
  char byte;
  switch (at->in) {
    case RECV_FROM: (void)!recvfrom(at->fd, &byte, 1, 0, NULL, NULL); break;
    case ACCEPT4: (void)!accept4(at->fd, NULL, NULL, SOCK_CLOEXEC); break;
    case EPOLL_WAIT: (void)!epoll_wait(at->fd, &event, 1, -1); break;
  }
  return NULL;
}

static int open_place(int in) {
  if (in == EPOLL_WAIT) return epoll_create1(EPOLL_CLOEXEC);
  int fd = socket(AF_INET, (in == ACCEPT4 ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
  if (fd >= 0 && in == ACCEPT4 && listen(fd, 1) < 0) {
    int err = errno;
    close(fd);
    errno = err;
    return -1;
  }
  return fd;
}

int by_cancel(int in) {
  static place at; /* the thread may outlive the call */
  pthread_t thread;
  at = (place){in, open_place(in)};
  if (at.fd < 0) return -errno;
  int rc = pthread_create(&thread, NULL, wait_there, &at);
  if (rc == 0) {
    struct timespec end;
    void *result;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS;
    pthread_cancel(thread);
    if (pthread_timedjoin_np(thread, &result, &end) != 0) return 0;
    rc = result == PTHREAD_CANCELED ? -1 : EPROTO;
  }
  close(at.fd);
  return -rc;
}
