#include "ctest.h"

/* libzmq is not compiled for ThreadSanitizer, which therefore does not see the atomic
 * operations with which libzmq hands a message from one thread to another. What libzmq
 * promises by them is said here, in functions that stand before its own: what a thread
 * did before it sends or closes a message has happened when another has received it,
 * and when the content comes back. No more than that: what the stack of a home promises
 * is the shims' own affair, and looked at. */
#ifdef __SANITIZE_THREAD__

void __tsan_acquire(void *address);
void __tsan_release(void *address);

static gz_api real;

/* The content, unless it lies in the structure and is copied with it. */
static void *content_of(zmq_msg_t *m) {
  uintptr_t data = (uintptr_t)real.msg_data(m), self = (uintptr_t)m;
  return data >= self && data < self + sizeof *m ? NULL : (void *)data;
}

static void release(zmq_msg_t *m) {
  void *content = content_of(m);
  if (content) __tsan_release(content);
}

static void comes_back(void *data, void *hint) {
  if (data) __tsan_acquire(data);
  __tsan_acquire(hint);
  gz_give_back(data, hint);
}

static int init_data(zmq_msg_t *m, void *data, size_t size, zmq_free_fn *give_back, void *hint) {
  CHECK(give_back == gz_give_back);
  __tsan_release(hint);
  return real.msg_init_data(m, data, size, comes_back, hint);
}

static int send_message(zmq_msg_t *m, void *s, int flags) {
  release(m);
  return real.msg_send(m, s, flags);
}

static int recv_message(zmq_msg_t *m, void *s, int flags) {
  release(m); /* it closes what m held */
  int rc = real.msg_recv(m, s, flags);
  void *content = rc < 0 ? NULL : content_of(m);
  if (content) __tsan_acquire(content);
  return rc;
}

static int close_message(zmq_msg_t *m) {
  release(m);
  return real.msg_close(m);
}

void ct_promise(void) {
  real = gz;
  gz.msg_init_data = init_data;
  gz.msg_send = send_message;
  gz.msg_recv = recv_message;
  gz.msg_close = close_message;
}

#else

void ct_promise(void) {}

#endif
