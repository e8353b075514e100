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

#include "../../internal/libzmq/api.h"

enum {
  CF_ROUTER_ROUTER, /* one way, parts: routing id, payload; one sender, one receiver */
  CF_PUSH_PULL,     /* one way, part: payload; many senders or many receivers */
  CF_DEALER_DEALER, /* round trips, part: payload; one sender, one receiver */
  CF_PUB_SUB,       /* one way, part: payload; many receivers, each gets every message */
  CF_DEALER_ROUTER, /* round trips, part: payload; many senders */
  CF_REQ_REP,       /* the same with REQ and REP */
  CF_PAIR,          /* one way, part: payload; one sender, one receiver */
  CF_SCATTER_GATHER, /* like CF_PUSH_PULL; draft */
  CF_RADIO_DISH,     /* like CF_PUB_SUB, in one group; draft */
};

enum {
  CF_BLOCKING, /* each receive waits */
  CF_BATCH,    /* a receive that waits, then others that do not, until no message is left */
  CF_SLEEP,    /* no receive waits; sleeps for 1 ms if there is no message */
  CF_SLEEP10,  /* the same with 10 ms */
  CF_POLL,     /* zmq_poll, then receives that do not wait */
};

/* Processors, as bits. None: any. */
enum { CF_CPU_WORDS = 16, CF_CPUS = 64 * CF_CPU_WORDS };
typedef struct cf_cpus {
  uint64_t bits[CF_CPU_WORDS];
} cf_cpus;

/* The workload. */
typedef struct cf_config {
  int pattern, mode;
  int senders, receivers;  /* one of the two is 1 */
  int window;              /* requests that a sender has in flight */
  int curve;               /* 1: encrypted with new keys */
  int in_batch, out_batch; /* bytes that libzmq reads and writes at once; 0: its default */
  int lend;                /* 1: sends without copying (zerocopy.c) */
  int hwm;                 /* of each socket, in messages; 0: no limit */
  int parts;               /* of a payload, of equal size except for the last, which has the rest */
  cf_cpus pin_senders, pin_receivers, pin_io; /* for the threads */
  int64_t size;
  int64_t samples; /* round trips of a sender that can be timed individually; 0: none */
} cf_config;

typedef struct cf_buffer cf_buffer;
typedef struct cf_bench cf_bench;

/* A socket and the thread that uses it during a run. */
typedef struct cf_party {
  cf_bench *b;
  void *s;
  int (*loop)(struct cf_party *);
  uint8_t *out, *in; /* the payloads */
  int64_t messages;  /* its share of a run */
  const cf_cpus *cpus;
  pthread_t thread;

  uint64_t tag;          /* of a sender: the upper bits of its stamps */
  int64_t number, *seen; /* of a receiver: see cf_check */
  int64_t *samples;      /* of a sender: nanoseconds of each round trip, or NULL */

  /* With c.lend: the sender's free buffers, all its buffers, and a stack of those that
   * libzmq has returned. Any thread may push onto the stack. */
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

  /* One run. The timed parties are the receivers, or for round trips those that send the
   * requests. The first of them reads the clock when all others wait at the gate, and
   * opens the gate. The last one to end reads the clock again. */
  cf_party *timed;
  int timed_count;
  int64_t begin_ns, begin_cpu_ns, elapsed_ns, cpu_ns;
  pthread_mutex_t mu;
  pthread_cond_t changed;
  int waiting, open;
  atomic_int busy;   /* timed parties that have not ended */
  atomic_int failed; /* the first error, -errno */
};

/* Creates a context and all sockets, with their options. After a failure there is nothing to
 * close. */
int cf_open(const gz_api *z, const cf_config *c, cf_bench **out);

/* Returns the number of sockets that bind: all receivers, or the sender that publishes. */
int cf_binders(const cf_bench *b);

/* Fills the senders' messages with a text, repeatedly, instead of pseudo-random bytes. */
void cf_fill(cf_bench *b, const void *text, size_t n);

/* Binds socket i of those. The endpoint may have a wildcard port. bound gets the resolved
 * endpoint. */
int cf_bind(cf_bench *b, int i, const char *endpoint, char *bound, size_t len);

/* Connects all other sockets to an endpoint. */
int cf_connect(cf_bench *b, const char *endpoint);

/* Blocks until every pair of connected sockets has exchanged a message in each
 * direction that it uses, or, with CF_PUB_SUB, all subscriptions have arrived. */
int cf_ready(cf_bench *b);

/* Sends and receives that many messages, by all senders together, with a thread for each
 * socket. Records in b the nanoseconds from the opening of the gate to the last message: of
 * the clock, and of all threads of the process. -EBADMSG: a message was lost, repeated, out
 * of order or of the wrong size. After a failure only cf_close may be called. */
int cf_run(cf_bench *b, int64_t messages);

/* Returns -EBADMSG if messages of the last run are left. Each sender sends one more message,
 * or makes one more round trip, to each receiver. These messages have numbers from CF_END
 * on. Messages that are left come before them on the same connection. */
int cf_conclude(cf_bench *b);

/* Makes cf_ready or cf_run, on another thread, fail with ETERM. */
int cf_stop(cf_bench *b);

void cf_close(cf_bench *b);

/* The functions of the threads of a run (loops.c). */
int cf_send_loop(cf_party *p);
int cf_receive_loop(cf_party *p);
int cf_serve_loop(cf_party *p);
int cf_ask_loop(cf_party *p);

/* Pins the calling thread to processors, and returns the previous ones in before. Fails with
 * -ENOSYS where the system has no such call (pin.c). */
int cf_pin(const cf_cpus *cpus, cf_cpus *before);
int cf_affinity(cf_cpus *cpus);
int cf_pinned(const cf_cpus *cpus);

/* Send and receive the payload of message i without copying (zerocopy.c). Return the number
 * of bytes or -errno. */
int cf_send_lent(cf_party *p);
int cf_recv_lent(cf_party *p, int64_t i, zmq_msg_t *m);
void cf_free_lent(cf_party *p);

/* Sends a message to the group of CF_RADIO_DISH. cf_tune_in exchanges the messages before
 * the first run (radio.c). */
int cf_send_group(cf_party *p, const void *data, size_t n);
int cf_tune_in(cf_bench *b);

/* zmq_proxy on a thread of its own, which ends when the sockets' context is shut
 * down (proxy.c). */
typedef struct cf_proxy cf_proxy;
int cf_proxy_start(const gz_api *z, void *frontend, void *backend, cf_proxy **out);
void cf_proxy_join(cf_proxy *p);

/* In a stamp, the upper bits have the number of the sender, and the lower ones that of its
 * message. */
#define CF_TAG_SHIFT 48

/* The number of the first message after a run. Messages of a run have lower numbers. */
#define CF_END ((int64_t)1 << 47)

#define CF_DONTWAIT 1
#define CF_SNDMORE 2

/* zmq_pollitem_t on systems where a file descriptor is an int. */
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
