#if !defined __linux__ || defined GZ_STATIC || !(defined __x86_64__ || defined __aarch64__)
#include "draft.h"

/* On this platform libzmq's imports cannot be redirected, see guard_linux.c. */
int gz_guard(void) { return 0; }

void gz_dish_port(int port, bool on) {
  (void)port;
  (void)on;
}
#endif
