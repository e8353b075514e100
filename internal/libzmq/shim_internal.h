/* Declarations that the C files of the shims share. */
#ifndef GOZMQ_SHIM_INTERNAL_H
#define GOZMQ_SHIM_INTERNAL_H

#include "shim.h"

static inline gz_result gz_result_with(int rc, int events, int messages) {
  return (gz_result)((uint64_t)(uint16_t)messages << 48 | (uint64_t)(uint16_t)events << 32 | (uint32_t)rc);
}

static inline gz_result gz_result_of(int rc, int events) { return gz_result_with(rc, events, 0); }

static inline void gz_clear(gz_msg *m) {
  m->flags = 0;
  m->size = 0;
  m->data = 0;
  m->offset = 0;
}

/* Reports whether m has content that libzmq has not seen yet. */
static inline int gz_unseen(const gz_msg *m) { return (m->flags & (GZ_OURS | GZ_LIVE)) == GZ_OURS; }

static inline gz_buffer *gz_buffer_of(const gz_msg *m) { return (gz_buffer *)(uintptr_t)m->raw.opaque[0]; }

int gz_read_events(gz_socket *s);
void gz_msg_fill(gz_msg *m, int64_t size);
void gz_msg_own(zmq_msg_t *m);
int gz_msg_lend(gz_msg *m);
int gz_msg_copy_out(gz_msg *m);
int gz_set_group(zmq_msg_t *raw, const uint8_t *group, int len);
void gz_give_back(void *data, void *hint);
void gz_drop(gz_msg *m);

#endif
