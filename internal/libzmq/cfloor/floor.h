/* The C baseline: the workloads of go-zmq's benchmarks, written in C, with the same libzmq
 * in the same process. There are no calls between Go and C from the start gate to the last
 * message.
 *
 * All functions return 0 or -errno. */
#ifndef GOZMQ_FLOOR_H
#define GOZMQ_FLOOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../api.h"

enum {
  CF_ROUTER_ROUTER, /* one way, parts: routing id, payload; one sender, one receiver */
  CF_PUSH_PULL,     /* one way, part: payload; many senders or many receivers */
  CF_DEALER_DEALER, /* there and back, part: payload; one sender, one receiver */
  CF_PUB_SUB,       /* one way, part: payload; many receivers, each gets every message */
  CF_DEALER_ROUTER, /* there and back, part: payload; many senders */
  CF_REQ_REP,       /* the same with REQ and REP */
  CF_PAIR,          /* one way, part: payload; one sender, one receiver */
  CF_SCATTER_GATHER, /* as CF_PUSH_PULL; draft */
  CF_RADIO_DISH,     /* as CF_PUB_SUB, in one group; draft */
};

enum {
  CF_BLOCKING, /* a receive that waits, for every message */
  CF_BATCH,    /* one that waits, then others that do not until nothing is left */
  CF_SLEEP,    /* none that waits; 1 ms of sleep when nothing is there */
  CF_SLEEP10,  /* the same with 10 ms */
  CF_POLL,     /* zmq_poll, then as batch */
};

/* Processors, as bits. None: wherever. */
enum { CF_CPU_WORDS = 16, CF_CPUS = 64 * CF_CPU_WORDS };
typedef struct cf_cpus {
  uint64_t bits[CF_CPU_WORDS];
} cf_cpus;

/* What a bench does. */
typedef struct cf_config {
  int pattern, mode;
  int senders, receivers;  /* one of the two is 1 */
  int window;              /* requests that a sender has under way; there and back */
  int curve;               /* 1: encrypted, with keys made here */
  int in_batch, out_batch; /* bytes that libzmq reads and writes at once; 0: its default */
  int lend;                /* 1: messages lend libzmq the memory that they lie in (zerocopy.c) */
  int hwm;                 /* of each socket, in messages; 0: none */
  int parts;               /* of a payload, alike but for the last, which has what is left over */
  cf_cpus pin_senders, pin_receivers, pin_io; /* where threads run */
  int64_t size;
  int64_t samples; /* round trips of a sender that can be timed one by one; 0: none are */
} cf_config;

typedef struct cf_buffer cf_buffer;
typedef struct cf_bench cf_bench;

/* A socket and the thread that has it during a run. */
typedef struct cf_party {
  cf_bench *b;
  void *s;
  int (*loop)(struct cf_party *);
  uint8_t *out, *in; /* the payloads */
  int64_t messages;  /* its share of a run */
  const cf_cpus *cpus;
  pthread_t thread;

  uint64_t tag;          /* of a sender: what its stamps have above the number */
  int64_t number, *seen; /* of a receiver: see cf_check */
  int64_t *samples;      /* of a sender: nanoseconds of each round trip; NULL: not wanted */

  /* With c.lend: the sender's free buffers, all that were made, and a stack of
   * those that came back, which any thread pushes on. */
  cf_buffer *free, *made;
  _Atomic(cf_buffer *) returned;
} cf_party;

struct cf_bench {
  const gz_api *z;
  void *ctx;
  cf_config c;
  size_t size;
  cf_party *senders, *receivers;
  int64_t *samples; /* of all senders, c.samples each */
  char public_key[41], secret_key[41];

  /* One run. The timed parties are those that receive, or, there and back, those
   * that ask. The first of them reads the clock when all others wait at the gate,
   * and opens it; the last one to be done reads it again. */
  cf_party *timed;
  int timed_count;
  int64_t begin_ns, begin_cpu_ns, elapsed_ns, cpu_ns;
  pthread_mutex_t mu;
  pthread_cond_t changed;
  int waiting, open;
  atomic_int busy;   /* timed parties that are not done */
  atomic_int failed; /* the first error, -errno */
};

/* Makes a context and all sockets, with their options. On failure there is nothing
 * to close. */
int cf_open(const gz_api *z, const cf_config *c, cf_bench **out);

/* How many sockets bind: all receivers, or the sender that publishes. */
int cf_binders(const cf_bench *b);

/* What the senders' messages consist of, again and again, instead of bytes by chance. */
void cf_fill(cf_bench *b, const void *text, size_t n);

/* Binds socket i of those. The endpoint may have a wildcard port; bound gets what it
 * became. */
int cf_bind(cf_bench *b, int i, const char *endpoint, char *bound, size_t len);

/* Connects all other sockets to an endpoint. */
int cf_connect(cf_bench *b, const char *endpoint);

/* Blocks until every pair of connected sockets has exchanged a message in each
 * direction that it uses, or, with CF_PUB_SUB, all subscriptions have arrived. */
int cf_ready(cf_bench *b);

/* Sends and receives that many messages, all senders together, with a thread for
 * each socket, and leaves in b the nanoseconds, of the clock and of all the process's
 * threads, from the opening of the gate to the last message. -EBADMSG: a message was
 * lost, repeated, out of order or of the wrong size. After a failure only cf_close is
 * left. */
int cf_run(cf_bench *b, int64_t messages);

/* After a run: -EBADMSG if something of it is left. One more message, or round trip, goes
 * from each sender to each receiver, with the numbers from CF_END on. What a run has left
 * over comes before these, on the same connection, and has another number. */
int cf_conclude(cf_bench *b);

/* Makes cf_ready or cf_run, on another thread, fail with ETERM. */
int cf_stop(cf_bench *b);

void cf_close(cf_bench *b);

/* What the threads of a run do (loops.c). */
int cf_send_loop(cf_party *p);
int cf_receive_loop(cf_party *p);
int cf_serve_loop(cf_party *p);
int cf_ask_loop(cf_party *p);

/* Puts the calling thread on processors, and says where it was before. -ENOSYS where
 * the system has no such call (pin.c). */
int cf_pin(const cf_cpus *cpus, cf_cpus *before);
int cf_affinity(cf_cpus *cpus);
int cf_pinned(const cf_cpus *cpus);

/* The payload of message i, in lent memory (zerocopy.c). The number of bytes or
 * -errno. */
int cf_send_lent(cf_party *p);
int cf_recv_lent(cf_party *p, int64_t i, zmq_msg_t *m);
void cf_free_lent(cf_party *p);

/* A message to the group of CF_RADIO_DISH, and the greetings before the first that
 * counts (radio.c). */
int cf_send_group(cf_party *p, const void *data, size_t n);
int cf_tune_in(cf_bench *b);

/* zmq_proxy on a thread of its own, which ends when the sockets' context is shut
 * down (proxy.c). */
typedef struct cf_proxy cf_proxy;
int cf_proxy_start(const gz_api *z, void *frontend, void *backend, cf_proxy **out);
void cf_proxy_join(cf_proxy *p);

/* In a stamp, the sender's number is above that of its message. */
#define CF_TAG_SHIFT 48

/* The number of the first message behind a run, which no message of a run has. */
#define CF_END ((int64_t)1 << 47)

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

/* The group of a RADIO and its members. */
#define CF_GROUP "g"

#endif
