/* Pushes buffers onto the stack of their home from several threads and takes them back,
 * in C and with the operations of buffer.go. TestBuffersReturnUnderThreadSanitizer
 * compiles it with buffer.c for ThreadSanitizer, because the race detector does not see
 * C code. Exit status 1: a buffer was lost or changed. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../shim_internal.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

static void fail(int line, const char *what) {
  fprintf(stderr, "stack.c:%d: %s\n", line, what);
  _exit(1);
}

enum { PUSHERS = 4, BUFFERS = 64, SIZE = 32 };

/* Like Home.Take in Go. */
static gz_buffer *take(gz_home *home) {
  uintptr_t head = __atomic_load_n(&home->head, __ATOMIC_SEQ_CST);
  while (head != 0 && head != GZ_CLOSED)
    if (__atomic_compare_exchange_n(&home->head, &head, (uintptr_t)0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) return (gz_buffer *)head;
  return NULL;
}

/* Like Buffer.GiveBack in Go. */
static void give_back_in_go(gz_buffer *b) {
  uintptr_t head = __atomic_load_n(&b->home->head, __ATOMIC_SEQ_CST);
  do {
    if (head == GZ_CLOSED) {
      b->next = NULL;
      gz_buffers_free(b);
      return;
    }
    b->next = (gz_buffer *)head;
  } while (!__atomic_compare_exchange_n(&b->home->head, &head, (uintptr_t)b, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

/* Buffers on their way from the taker to the pushers. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  gz_buffer *list;
  int done;
} out = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

static void hand_out(gz_buffer *list, int done) {
  gz_buffer *end = list;
  pthread_mutex_lock(&out.lock);
  while (end && end->next) end = end->next;
  if (end) end->next = out.list;
  if (end) out.list = list;
  out.done = done;
  pthread_cond_broadcast(&out.changed);
  pthread_mutex_unlock(&out.lock);
}

/* Writes to a buffer without a lock: only the stack orders this with the taker's reads. */
static void *push(void *arg) {
  for (int n = 0;; n++) {
    pthread_mutex_lock(&out.lock);
    while (!out.list && !out.done) pthread_cond_wait(&out.changed, &out.lock);
    gz_buffer *b = out.list;
    if (b) out.list = b->next;
    pthread_mutex_unlock(&out.lock);
    if (!b) return arg;
    b->tag++;
    memset(b + 1, (int)b->tag, SIZE);
    if (b->home->wake < 0 && n % 2)
      give_back_in_go(b);
    else
      gz_give_back(b + 1, b);
  }
}

/* With a pipe, the taker looks only when the pipe is readable: no wake-up may be missing. */
static void circulate(int readable, int writable, long messages) {
  pthread_t pushers[PUSHERS];
  gz_home *home = gz_home_open(writable);
  gz_buffer *list = gz_buffers_alloc(home, SIZE, 0, 0, BUFFERS);
  int found = 0;
  out.done = 0;
  for (int i = 0; i < PUSHERS; i++) CHECK(pthread_create(&pushers[i], NULL, push, NULL) == 0);
  for (long taken = 0; taken < messages;) {
    char bytes[16];
    struct pollfd p = {.fd = readable, .events = POLLIN};
    if (list) hand_out(list, 0);
    if (readable >= 0) CHECK(poll(&p, 1, 60000) == 1 && read(readable, bytes, sizeof bytes) > 0);
    list = readable < 0 ? take(home) : gz_home_take(home);
    for (gz_buffer *b = list; b; b = b->next, taken++)
      for (int i = 0; i < SIZE; i++) CHECK(((char *)(b + 1))[i] == (char)b->tag);
  }
  hand_out(NULL, 1);
  for (int i = 0; i < PUSHERS; i++) pthread_join(pushers[i], NULL);
  gz_buffer *parts[] = {list, take(home)};
  for (int i = 0; i < 2; i++) {
    for (gz_buffer *b = parts[i]; b; b = b->next) found++;
    gz_buffers_free(parts[i]);
  }
  CHECK(found == BUFFERS);
  CHECK(__atomic_load_n(&home->live, __ATOMIC_SEQ_CST) == 0);
  gz_home_close(home);
}

static void *push_list(void *arg) {
  for (gz_buffer *b = arg, *next; b; b = next) {
    next = b->next;
    b->tag = 1;
    gz_give_back(b + 1, b);
  }
  return NULL;
}

/* A home that is closed while buffers return. */
static void close_during_returns(void) {
  pthread_t pushers[PUSHERS];
  gz_home *home = gz_home_open(-1);
  for (int i = 0; i < PUSHERS; i++)
    CHECK(pthread_create(&pushers[i], NULL, push_list, gz_buffers_alloc(home, SIZE, 0, 0, 20)) == 0);
  gz_buffers_free(take(home));
  gz_home_close(home);
  gz_home_close(home);
  for (int i = 0; i < PUSHERS; i++) pthread_join(pushers[i], NULL);
  CHECK(__atomic_load_n(&home->live, __ATOMIC_SEQ_CST) == 0);
}

int main(void) {
  int wake[2];
  CHECK(pipe(wake) == 0);
  CHECK(fcntl(wake[1], F_SETFL, O_NONBLOCK) == 0);
  circulate(-1, -1, 20000);
  circulate(wake[0], wake[1], 20000);
  for (int i = 0; i < 100; i++) close_during_returns();
  return 0;
}
