#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"
#include "shim_internal.h"
#include "system.h"

/* The memory that is lent to libzmq. gz_give_back runs on libzmq's threads, while libzmq
 * or the caller holds arbitrary locks. It therefore does one thing: it pushes the buffer
 * onto the stack of its home. It takes no lock, calls no Go code and allocates
 * nothing. */

static void gone(gz_home *home) { __atomic_sub_fetch(&home->live, 1, __ATOMIC_ACQ_REL); }

/* A zmq_free_fn. If the home is closed, the buffer is freed instead. */
void gz_give_back(void *data, void *hint) {
  gz_buffer *b = hint;
  gz_home *home = b->home;
  int wake = (int)home->wake; /* once b is pushed, the home may be closed and reused */
  uintptr_t head = __atomic_load_n(&home->head, __ATOMIC_RELAXED);
  (void)data;
  do {
    if (head == GZ_CLOSED) {
      gz_aligned_free(b);
      gone(home);
      return;
    }
    b->next = (gz_buffer *)head;
  } while (!__atomic_compare_exchange_n(&home->head, &head, (uintptr_t)b, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  /* The reader takes the whole stack, so it is woken each time the stack was empty. */
  if (head == 0 && wake >= 0) gz_wake(wake);
}

/* Calls must not overlap. The list of all homes is for leak checkers, which do not search
 * the Go heap for pointers. */
gz_home *gz_home_open(int wake) {
  static gz_home *all;
  gz_home *home = gz_aligned_alloc(sizeof *home);
  if (!home) return NULL;
  memset(home, 0, sizeof *home);
  home->wake = wake;
  home->next = all;
  all = home;
  return home;
}

/* Frees the returned buffers. Buffers that are returned later are freed at once. A second
 * call does nothing. */
void gz_home_close(gz_home *home) {
  uintptr_t head = __atomic_exchange_n(&home->head, GZ_CLOSED, __ATOMIC_ACQUIRE);
  if (head != GZ_CLOSED) gz_buffers_free((gz_buffer *)head);
}

/* Takes the returned buffers from an open home. The oldest buffer comes first. */
gz_buffer *gz_home_take(gz_home *home) {
  gz_buffer *list = (gz_buffer *)__atomic_exchange_n(&home->head, 0, __ATOMIC_ACQUIRE);
  gz_buffer *turned = NULL;
  while (list) {
    gz_buffer *b = list;
    list = b->next;
    b->next = turned;
    turned = b;
  }
  return turned;
}

/* Allocates a list of n buffers with room for size bytes each. The list is shorter if
 * memory is exhausted. */
gz_buffer *gz_buffers_alloc(gz_home *home, int64_t size, int64_t copy_below, int64_t tag, int n) {
  gz_buffer *list = NULL;
  for (int i = 0; i < n; i++) {
    gz_buffer *b = gz_aligned_alloc((sizeof *b + (size_t)size + 63) & ~(size_t)63);
    if (!b) break;
    b->next = list;
    b->home = home;
    b->copy_below = copy_below;
    b->tag = tag;
    b->watched = 0;
    b->sealed = -1;
    __atomic_add_fetch(&home->live, 1, __ATOMIC_RELAXED);
    list = b;
  }
  return list;
}

struct gz_heads {
  struct gz_heads *next, *before;
  gz_buffer heads[];
};

/* Allocates an array of n buffers whose content lies elsewhere. Their home must stay
 * open. The buffers are reused until the whole array is freed. */
gz_buffer *gz_heads_alloc(gz_home *home, int n) {
  struct gz_heads *block = calloc(1, sizeof *block + (size_t)n * sizeof(gz_buffer));
  if (!block) return NULL;
  block->next = home->heads;
  if (block->next) block->next->before = block;
  home->heads = block;
  for (int i = 0; i < n; i++) block->heads[i].home = home;
  return block->heads;
}

/* Frees an array of heads. None of them may be lent. */
void gz_heads_free(gz_home *home, gz_buffer *heads) {
  struct gz_heads *block = (struct gz_heads *)((char *)heads - offsetof(struct gz_heads, heads));
  if (block->next) block->next->before = block->before;
  if (block->before)
    block->before->next = block->next;
  else
    home->heads = block->next;
  free(block);
}

void gz_buffers_free(gz_buffer *list) {
  while (list) {
    gz_buffer *b = list;
    gz_home *home = b->home;
    list = b->next;
    gz_aligned_free(b);
    gone(home);
  }
}

void *gz_memory_alloc(int64_t size) { return malloc((size_t)size); }

void gz_memory_free(void *p) { free(p); }
