#ifndef __linux__
#include "draft.h"

/* See udp_linux.c and spare_linux.c: elsewhere the C library's functions cannot be
 * replaced in that way. */
void gz_dish_port(int port, int on) {
  (void)port;
  (void)on;
}

void gz_spares_fill(void) {}
#endif
