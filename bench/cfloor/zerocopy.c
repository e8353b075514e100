#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

/* Memory for one payload, which begins on a cache line of its own. */
struct cf_buffer {
  cf_buffer *next, *next_made;
  cf_party *owner;
  void *unused[5];
  uint8_t data[];
};

/* libzmq returns a buffer, on any thread. The stack needs no lock. The sender takes the
 * whole stack, so a push cannot find the same head again after other buffers (ABA). */
static void give_back(void *data, void *hint) {
  cf_buffer *f = hint;
  _Atomic(cf_buffer *) *stack = &f->owner->returned;
  cf_buffer *head = atomic_load_explicit(stack, memory_order_relaxed);
  (void)data;
  do f->next = head;
  while (!atomic_compare_exchange_weak_explicit(stack, &head, f, memory_order_release, memory_order_relaxed));
}

/* Returns the free buffer that was used last, because it may still be in a cache. A new one
 * is made only if all are lent, which ends with the first run, because the high-water mark
 * (HWM) bounds their number. */
static cf_buffer *take_buffer(cf_party *p) {
  if (!p->free) p->free = atomic_exchange_explicit(&p->returned, NULL, memory_order_acquire);
  cf_buffer *f = p->free;
  if (f) {
    p->free = f->next;
    return f;
  }
  void *memory;
  if (posix_memalign(&memory, 64, sizeof *f + p->b->size)) return NULL;
  f = memory;
  f->owner = p;
  f->next_made = p->made;
  p->made = f;
  return f;
}

int cf_send_lent(cf_party *p) {
  zmq_msg_t m;
  int rc;
  cf_buffer *f = take_buffer(p);
  if (!f) return -ENOMEM;
  memcpy(f->data, p->out, p->b->size);
  if (p->b->z->msg_init_data(&m, f->data, p->b->size, give_back, f) < 0) {
    rc = -errno;
    give_back(f->data, f);
    return rc;
  }
  do rc = p->b->z->msg_send(&m, p->s, 0);
  while (rc < 0 && errno == EINTR);
  if (rc >= 0) return rc;
  rc = -errno;
  p->b->z->msg_close(&m);
  return rc;
}

int cf_recv_lent(cf_party *p, int64_t i, zmq_msg_t *m) {
  int rc; /* zmq_msg_recv releases what m held */
  do rc = p->b->z->msg_recv(m, p->s, 0);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  return cf_check(p, i, p->b->z->msg_data(m), rc);
}

void cf_free_lent(cf_party *p) {
  while (p->made) {
    cf_buffer *f = p->made;
    p->made = f->next_made;
    free(f);
  }
}
