#ifndef __linux__
#include "draft.h"

/* On this platform libzmq's imports cannot be redirected, see guard_linux.c. */
int gz_guard(void) { return 0; }

void gz_dish_port(int port, bool on) {
  (void)port;
  (void)on;
}
#endif
