/* What the shims' files share among themselves. */
#ifndef GOZMQ_SHIM_INTERNAL_H
#define GOZMQ_SHIM_INTERNAL_H

#include "shim.h"

static inline gz_result gz_result_of(int rc, int events) {
  return (gz_result)((uint64_t)(uint32_t)events << 32 | (uint32_t)rc);
}

int gz_read_events(void *s);
void gz_msg_fill(gz_msg *m);

#endif
