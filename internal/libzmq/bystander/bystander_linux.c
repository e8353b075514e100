#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/socket.h>

/* Calls recvfrom, which fails. */
void by_receive(void) {
  char byte;
  (void)!recvfrom(-1, &byte, 1, 0, NULL, NULL);
}

/* How often a function was called, by what testdata/count.c counts; -1 if it is not loaded. */
long by_calls(const char *counter) {
  long *calls = dlsym(RTLD_DEFAULT, counter);
  return calls ? __atomic_load_n(calls, __ATOMIC_RELAXED) : -1;
}
