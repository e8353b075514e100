#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctest.h"

/* The stack on which buffers come home: pushed on from any thread, taken whole. */

/* As OpenHome, which opens one at a time. */
gz_home *ct_home(int wake) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  gz_home *home = gz_home_open(wake);
  pthread_mutex_unlock(&lock);
  CHECK(home);
  return home;
}

gz_buffer *ct_take(gz_home *home) {
  for (;;) {
    uintptr_t head = __atomic_load_n(&home->head, __ATOMIC_SEQ_CST);
    if (head == 0 || head == GZ_CLOSED) return NULL;
    if (__atomic_compare_exchange_n(&home->head, &head, (uintptr_t)0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return (gz_buffer *)head;
  }
}

/* As Buffer.GiveBack. */
void ct_give_back(gz_buffer *b) {
  for (;;) {
    uintptr_t head = __atomic_load_n(&b->home->head, __ATOMIC_SEQ_CST);
    if (head == GZ_CLOSED) {
      b->next = NULL;
      gz_buffers_free(b);
      return;
    }
    b->next = (gz_buffer *)head;
    if (__atomic_compare_exchange_n(&b->home->head, &head, (uintptr_t)b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return;
  }
}

static int64_t live(gz_home *home) { return __atomic_load_n(&home->live, __ATOMIC_SEQ_CST); }

enum { PUSHERS = 4, BUFFERS = 64 };

/* Buffers on their way from the taker to the pushers. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  gz_buffer *list;
  int done;
} out = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

/* Gives back what the taker hands out, now like libzmq, now like Go. The tag and the
 * content are written without a lock: the stack alone says when they may be read. */
static void *push(void *arg) {
  int like_go = 0;
  (void)arg;
  for (;;) {
    pthread_mutex_lock(&out.lock);
    while (!out.list && !out.done) pthread_cond_wait(&out.filled, &out.lock);
    gz_buffer *b = out.list;
    if (b) out.list = b->next;
    pthread_mutex_unlock(&out.lock);
    if (!b) return NULL;
    b->tag++;
    memset(b + 1, (int)b->tag, 32);
    if (b->home->wake < 0 && (like_go ^= 1))
      ct_give_back(b);
    else
      gz_give_back(b + 1, b);
  }
}

/* Hands buffers out and takes them back, until each was pushed often enough. With a
 * pipe it looks only when there is a byte in it: no wake-up may be missing. */
static void circulate(gz_home *home, int wake, long want) {
  pthread_t pushers[PUSHERS];
  gz_buffer *list = gz_buffers_alloc(home, 32, 0, 0, BUFFERS);
  long taken = 0;
  CHECK(live(home) == BUFFERS);
  out.done = 0;
  for (int i = 0; i < PUSHERS; i++) CHECK(pthread_create(&pushers[i], NULL, push, NULL) == 0);
  while (taken < want) {
    if (list) {
      gz_buffer *end = list;
      while (end->next) end = end->next;
      pthread_mutex_lock(&out.lock);
      end->next = out.list;
      out.list = list;
      pthread_cond_broadcast(&out.filled);
      pthread_mutex_unlock(&out.lock);
    }
    char bytes[16];
    if (wake >= 0) {
      CHECK(ct_nap(wake, 60000) == 1);
      WORKS(read(wake, bytes, sizeof bytes));
    }
    list = wake < 0 ? ct_take(home) : gz_home_take(home);
    for (gz_buffer *b = list; b; b = b->next, taken++)
      for (int i = 0; i < 32; i++) CHECK(((char *)(b + 1))[i] == (char)b->tag);
  }
  pthread_mutex_lock(&out.lock);
  out.done = 1;
  pthread_cond_broadcast(&out.filled);
  pthread_mutex_unlock(&out.lock);
  for (int i = 0; i < PUSHERS; i++) pthread_join(pushers[i], NULL);
  int64_t found = 0, pushed = 0;
  gz_buffer *parts[] = {list, ct_take(home)};
  for (int i = 0; i < 2; i++)
    for (gz_buffer *b = parts[i]; b; b = b->next, found++) pushed += b->tag;
  CHECK(found == BUFFERS);
  CHECK(pushed >= taken);
  for (int i = 0; i < 2; i++) gz_buffers_free(parts[i]);
  CHECK(live(home) == 0);
}

struct slice {
  gz_buffer *list;
  pthread_barrier_t *gate;
};

static void *push_slice(void *arg) {
  struct slice *s = arg;
  pthread_barrier_wait(s->gate);
  while (s->list) {
    gz_buffer *b = s->list;
    s->list = b->next;
    b->tag = 1;
    gz_give_back(b + 1, b);
  }
  return NULL;
}

/* A home that is closed while buffers come back, and used again by the next owner
 * when all are gone. */
static void close_meanwhile(gz_home *home) {
  pthread_t pushers[PUSHERS];
  pthread_barrier_t gate;
  struct slice slices[PUSHERS];
  CHECK(pthread_barrier_init(&gate, NULL, PUSHERS + 1) == 0);
  home->wake = -1;
  __atomic_store_n(&home->head, 0, __ATOMIC_SEQ_CST);
  for (int i = 0; i < PUSHERS; i++) {
    slices[i] = (struct slice){gz_buffers_alloc(home, 100, 0, i, 20), &gate};
    CHECK(pthread_create(&pushers[i], NULL, push_slice, &slices[i]) == 0);
  }
  pthread_barrier_wait(&gate);
  gz_buffers_free(ct_take(home));
  gz_home_close(home);
  gz_home_close(home);
  for (int i = 0; i < PUSHERS; i++) pthread_join(pushers[i], NULL);
  CHECK(live(home) == 0);
  pthread_barrier_destroy(&gate);
}

void ct_stack(void) {
  int wake[2];
  long want = 4000L * ct_rounds;
  CHECK(pipe(wake) == 0);
  WORKS(fcntl(wake[1], F_SETFL, O_NONBLOCK));
  gz_home *quiet = ct_home(-1), *waking = ct_home(wake[1]);
  circulate(quiet, -1, want);
  circulate(waking, wake[0], want);
  gz_home_close(quiet);
  gz_home_close(waking);
  for (int i = 0; i < 20 * ct_rounds; i++) close_meanwhile(quiet);
  close(wake[0]);
  close(wake[1]);

  /* Heads of content that lies elsewhere, in three arrays that are freed in any order. */
  gz_home *heads = ct_home(-1);
  gz_buffer *list = gz_heads_alloc(heads, 10), *second = gz_heads_alloc(heads, 10), *third = gz_heads_alloc(heads, 10);
  for (int i = 0; i < 10; i++) CHECK(list[i].home == heads && second[i].home == heads && third[i].home == heads);
  gz_heads_free(heads, second);
  gz_heads_free(heads, third);
  uint8_t *memory = gz_memory_alloc(100);
  memset(memory, 1, 100);
  gz_msg m = {0};
  ct_lend(&m, list, memory, 100);
  gz_msgs_close(&m, 1);
  CHECK(ct_take(heads) == list);
  gz_heads_free(heads, list);
  gz_memory_free(memory);
}
