/* Many PULL sockets and one PUSH, and zmq_poll over all of them. */
#ifndef GOZMQ_CFLOOR_SCALE_H
#define GOZMQ_CFLOOR_SCALE_H

#include "floor.h"

typedef struct cf_scale {
  const gz_api *z;
  void *ctx, *push;
  struct poll_item *items;
  int n;
  int64_t elapsed_ns;
} cf_scale;

int cf_scale_open(const gz_api *z, int sockets, cf_scale **out);
int cf_scale_one(cf_scale *s, int64_t polls);
int cf_scale_fill(cf_scale *s);
int cf_scale_all(cf_scale *s, int64_t polls);
void cf_scale_close(cf_scale *s);

#endif
