//go:build !zmq_static

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/socket.h>

/* Calls recvfrom, which fails. */
void gi_call_recvfrom(void) {
  char byte;
  (void)!recvfrom(-1, &byte, 1, 0, NULL, NULL);
}

/* How often testdata/count.c saw a function called; -1 if that library is not loaded. */
long gi_calls(const char *counter) {
  long *calls = dlsym(RTLD_DEFAULT, counter);
  return calls ? __atomic_load_n(calls, __ATOMIC_RELAXED) : -1;
}
