/* A library for LD_PRELOAD that counts the calls of functions of the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define COUNTED(ret, name, params, ...)                         \
  long calls_of_##name;                                         \
  ret name params {                                             \
    ret(*next) params = (ret(*) params)dlsym(RTLD_NEXT, #name); \
    __atomic_add_fetch(&calls_of_##name, 1, __ATOMIC_RELAXED);  \
    return next(__VA_ARGS__);                                   \
  }

COUNTED(int, accept4, (int fd, struct sockaddr *a, socklen_t *n, int flags), fd, a, n, flags)
COUNTED(int, epoll_ctl, (int ep, int op, int fd, struct epoll_event *e), ep, op, fd, e)
COUNTED(int, epoll_wait, (int ep, struct epoll_event *e, int n, int timeout), ep, e, n, timeout)
COUNTED(ssize_t, recvfrom, (int fd, void *p, size_t n, int flags, struct sockaddr *a, socklen_t *len), fd, p, n, flags, a, len)
