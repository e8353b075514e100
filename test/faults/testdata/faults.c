/* A library for LD_PRELOAD that makes the n-th call of a function of the C library
 * fail, if libzmq or the binding's own C code made it. The selection is in
 * a file that the process and its parent share; see control in control_test.go, whose
 * layout is that of struct control. Linux with glibc only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* In the order of the names in control_test.go. */
enum {
  F_MALLOC, F_MMAP, F_EVENTFD, F_EPOLL_CREATE, F_EPOLL_CTL, F_PTHREAD_CREATE, F_SOCKET, F_CONNECT, F_BIND, F_LISTEN,
  F_ACCEPT, F_GETADDRINFO, F_GETIFADDRS, F_FCNTL, F_SEND, F_RECV, F_MKDTEMP, FUNCTIONS
};

enum { OFF, LEARNING, ARMED };
enum { RANGES = 16, KNOWN = 64 };

struct range {
  uint64_t low, high;
  uint64_t program; /* this is the program itself, not a library */
};

struct control {
  int64_t loaded; /* this library is */
  int64_t mode;
  int64_t function; /* function to fail */
  int64_t first, last; /* the calls of it that fail, counted from 1 */
  int64_t error;
  int64_t hold; /* calls take until nothing is to fail any more */
  int64_t hits;
  uint64_t site; /* where the first call that failed returned to */
  int64_t calls[FUNCTIONS];
  int64_t ranges;
  struct range range[RANGES];
  int64_t known; /* places in the program that are the Go runtime's */
  uint64_t runtime[KNOWN];
};

static struct control *control;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("GOZMQ_TEST_FAULT_CONTROL");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *p = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED) return;
  control = p;
  control->loaded = 1;
}

/* The calls of the Go runtime's own C code, which would end the process, are learned
 * while nothing else is there to make them. */
static void learn(uint64_t from) {
  for (int64_t i = 0; i < control->known; i++)
    if (control->runtime[i] == from) return;
  int64_t i = __atomic_fetch_add(&control->known, 1, __ATOMIC_ACQ_REL);
  if (i < KNOWN) control->runtime[i] = from;
}

static const struct range *range_of(uint64_t from) {
  for (int64_t i = 0; i < control->ranges; i++)
    if (control->range[i].low <= from && from < control->range[i].high) return &control->range[i];
  return NULL;
}

/* Whether a call is one that must fail. With program, calls of the program itself count as well. */
static int strikes(int function, void *caller, int program) {
  if (!control) return 0;
  int64_t mode = __atomic_load_n(&control->mode, __ATOMIC_ACQUIRE);
  if (mode == OFF) return 0;
  uint64_t from = (uint64_t)(uintptr_t)caller;
  const struct range *r = range_of(from);
  if (!r || (r->program && !program)) return 0;
  if (r->program && function == F_MALLOC) {
    if (mode == LEARNING) learn(from);
    for (int64_t i = 0; i < control->known && i < KNOWN; i++)
      if (control->runtime[i] == from) return 0;
  }
  if (mode != ARMED) return 0;
  int64_t n = __atomic_add_fetch(&control->calls[function], 1, __ATOMIC_ACQ_REL);
  if (function != control->function || n < control->first || n > control->last) return 0;
  if (__atomic_fetch_add(&control->hits, 1, __ATOMIC_ACQ_REL) == 0) control->site = from;
  while (control->hold && __atomic_load_n(&control->mode, __ATOMIC_ACQUIRE) == ARMED) {
    struct timespec rest = {0, 1000000};
    nanosleep(&rest, NULL);
  }
  errno = (int)control->error;
  return 1;
}

#define CALLER __builtin_return_address(0)

/* The C library's own, found when first needed. */
#define NEXT(ret, name, ...)                                     \
  static ret (*next)(__VA_ARGS__);                               \
  if (!__atomic_load_n(&next, __ATOMIC_ACQUIRE))                 \
    __atomic_store_n(&next, (ret(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name), __ATOMIC_RELEASE);

/* Under these names glibc offers what malloc and the others are. */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return strikes(F_MALLOC, CALLER, 1) ? NULL : __libc_malloc(size); }

void *calloc(size_t n, size_t size) { return strikes(F_MALLOC, CALLER, 1) ? NULL : __libc_calloc(n, size); }

void *realloc(void *p, size_t size) { return strikes(F_MALLOC, CALLER, 1) ? NULL : __libc_realloc(p, size); }

int posix_memalign(void **p, size_t alignment, size_t size) {
  if (strikes(F_MALLOC, CALLER, 1)) return errno;
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size) {
  return strikes(F_MALLOC, CALLER, 1) ? NULL : __libc_memalign(alignment, size);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  if (strikes(F_MMAP, CALLER, 0)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

int eventfd(unsigned int count, int flags) {
  NEXT(int, eventfd, unsigned int, int)
  return strikes(F_EVENTFD, CALLER, 0) ? -1 : next(count, flags);
}

/* libzmq calls these two by way of the binding's guard. */
int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags) {
  NEXT(int, accept4, int, struct sockaddr *, socklen_t *, int)
  return strikes(F_ACCEPT, CALLER, 1) ? -1 : next(fd, address, len, flags);
}

int epoll_ctl(int set, int op, int fd, struct epoll_event *event) {
  NEXT(int, epoll_ctl, int, int, int, struct epoll_event *)
  /* What the system may refuse is to add; the others cannot fail. */
  if (op == EPOLL_CTL_ADD && strikes(F_EPOLL_CTL, CALLER, 1)) return -1;
  return next(set, op, fd, event);
}

int epoll_create1(int flags) {
  NEXT(int, epoll_create1, int)
  return strikes(F_EPOLL_CREATE, CALLER, 0) ? -1 : next(flags);
}

/* The Go runtime gives attributes to its threads; neither libzmq nor the binding does. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg) {
  NEXT(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
  if (!attributes && strikes(F_PTHREAD_CREATE, CALLER, 1)) return errno;
  return next(thread, attributes, start, arg);
}

int socket(int domain, int type, int protocol) {
  NEXT(int, socket, int, int, int)
  return strikes(F_SOCKET, CALLER, 0) ? -1 : next(domain, type, protocol);
}

int connect(int fd, const struct sockaddr *address, socklen_t len) {
  NEXT(int, connect, int, const struct sockaddr *, socklen_t)
  return strikes(F_CONNECT, CALLER, 0) ? -1 : next(fd, address, len);
}

int bind(int fd, const struct sockaddr *address, socklen_t len) {
  NEXT(int, bind, int, const struct sockaddr *, socklen_t)
  return strikes(F_BIND, CALLER, 0) ? -1 : next(fd, address, len);
}

int listen(int fd, int backlog) {
  NEXT(int, listen, int, int)
  return strikes(F_LISTEN, CALLER, 0) ? -1 : next(fd, backlog);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
  NEXT(int, getaddrinfo, const char *, const char *, const struct addrinfo *, struct addrinfo **)
  /* Addresses take no name server: only this name is slow. */
  if (control && control->hold && (!node || strncmp(node, "slow.", 5))) return next(node, service, hints, found);
  if (!strikes(F_GETADDRINFO, CALLER, 0)) return next(node, service, hints, found);
  return errno == ENOMEM ? EAI_MEMORY : EAI_AGAIN;
}

int getifaddrs(struct ifaddrs **list) {
  NEXT(int, getifaddrs, struct ifaddrs **)
  return strikes(F_GETIFADDRS, CALLER, 0) ? -1 : next(list);
}

int fcntl(int fd, int command, ...) {
  NEXT(int, fcntl, int, int, long)
  va_list list;
  va_start(list, command);
  long value = va_arg(list, long);
  va_end(list);
  /* Duplicates are what can fail; libzmq makes none, the binding does. */
  if (command == F_DUPFD_CLOEXEC && strikes(F_FCNTL, CALLER, 1)) return -1;
  return next(fd, command, value);
}

int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));

/* A connection that was reset is dead in both directions. */
static int reset(int fd) {
  int err = errno;
  if (err == ECONNRESET) shutdown(fd, SHUT_RDWR);
  errno = err;
  return -1;
}

ssize_t send(int fd, const void *data, size_t size, int flags) {
  NEXT(ssize_t, send, int, const void *, size_t, int)
  return strikes(F_SEND, CALLER, 0) ? reset(fd) : next(fd, data, size, flags);
}

ssize_t recv(int fd, void *data, size_t size, int flags) {
  NEXT(ssize_t, recv, int, void *, size_t, int)
  return strikes(F_RECV, CALLER, 0) ? reset(fd) : next(fd, data, size, flags);
}

char *mkdtemp(char *template) {
  NEXT(char *, mkdtemp, char *)
  return strikes(F_MKDTEMP, CALLER, 0) ? NULL : next(template);
}
