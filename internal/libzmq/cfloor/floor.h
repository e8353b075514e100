/* The C floor: the workloads of go-zmq's benchmarks, written in C against the
 * same libzmq in the same process. Between the start gate and the last message
 * nothing crosses from Go into C or back.
 *
 * All functions return 0 or -errno. */
#ifndef GOZMQ_FLOOR_H
#define GOZMQ_FLOOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "../api.h"

enum {
  CF_ROUTER_ROUTER, /* one way, parts: routing id, payload */
  CF_PUSH_PULL,     /* one way, part: payload */
  CF_DEALER_DEALER, /* there and back, part: payload */
};

enum {
  CF_BLOCKING, /* a receive that waits, for every message */
  CF_BATCH,    /* one that waits, then others that do not until nothing is left */
  CF_SLEEP,    /* none that waits; 1 ms of sleep when nothing is there */
  CF_POLL,     /* zmq_poll, then as batch */
};

/* What a bench does. */
typedef struct cf_config {
  int pattern, mode;
  int lend; /* 1: messages lend libzmq the memory that they lie in (zerocopy.c) */
  int hwm;  /* of each socket, in messages; 0: none */
  int64_t size;
} cf_config;

typedef struct cf_buffer cf_buffer;

/* The parties on both ends of a run. `sender` connects, `receiver` binds. */
typedef struct cf_bench {
  const gz_api *z;
  void *ctx, *sender, *receiver;
  cf_config c;
  size_t size;
  uint8_t *out, *in, *back; /* what is sent, received, and sent back */

  /* With c.lend: the sender's free buffers, all that were made, and a stack of
   * those that came back, which any thread pushes on. */
  cf_buffer *free, *made;
  _Atomic(cf_buffer *) returned;

  /* One run. The sender waits at the gate until the receiver has read the clock. */
  int64_t messages, elapsed_ns, cpu_ns;
  pthread_mutex_t mu;
  pthread_cond_t changed;
  int waiting, open;
  atomic_int failed; /* the first error, -errno */
} cf_bench;

/* Makes a context and both sockets, binds and connects them. The endpoint may
 * have a wildcard port. On failure there is nothing to close. */
int cf_open(const gz_api *z, const cf_config *c, const char *endpoint, cf_bench **out);

/* Blocks until the two sockets have exchanged a message in each direction that
 * they use. */
int cf_ready(cf_bench *b);

/* Sends and receives that many messages with two threads of its own, and leaves
 * in b the nanoseconds, of the clock and of all the process's threads, from the
 * opening of the gate to the last message. -EBADMSG: a message was lost,
 * repeated, out of order or of the wrong size. After a failure only cf_close is
 * left. */
int cf_run(cf_bench *b, int64_t messages);

/* Makes cf_ready or cf_run, on another thread, fail with ETERM. */
int cf_stop(cf_bench *b);

void cf_close(cf_bench *b);

/* What a run's threads do (loops.c). */
int cf_send_loop(cf_bench *b);
int cf_receive_loop(cf_bench *b);
int cf_echo_loop(cf_bench *b);
int cf_ask_loop(cf_bench *b);

/* Message i's number, into what is sent; and its check in what was received. Every
 * 64th message carries its number, so that the check is not the load. */
void cf_stamp(cf_bench *b, int64_t i);
int cf_check(cf_bench *b, int64_t i, const void *p, int size);

/* The payload of message i, in lent memory (zerocopy.c). The number of bytes or
 * -errno. */
int cf_send_lent(cf_bench *b);
int cf_recv_lent(cf_bench *b, int64_t i, zmq_msg_t *m);
void cf_free_lent(cf_bench *b);

/* One part; EINTR is retried. The number of bytes or -errno. */
int cf_send(cf_bench *b, void *s, const void *p, size_t n, int flags);
int cf_recv(cf_bench *b, void *s, void *p, size_t n, int flags);

/* zmq_proxy on a thread of its own, which ends when the sockets' context is shut
 * down (proxy.c). */
typedef struct cf_proxy cf_proxy;
int cf_proxy_start(const gz_api *z, void *frontend, void *backend, cf_proxy **out);
void cf_proxy_join(cf_proxy *p);

#define CF_DONTWAIT 1
#define CF_SNDMORE 2

/* zmq_pollitem_t, on systems where a file descriptor is an int. */
struct poll_item {
  void *socket;
  int fd;
  short events, revents;
};

/* The routing ids of a ROUTER's two ends. */
#define CF_SENDER_ID "a"
#define CF_RECEIVER_ID "b"
#define CF_ID_LEN 1

#endif
