/* A program in C that drives the shims as Go does, without Go: from several threads,
 * with a mutex for each socket, and with buffers that come back through the stack of
 * their home. It is for what looks at C code and does not bear Go's runtime beside it:
 * ThreadSanitizer and valgrind. make sanitize builds and runs it (scripts/sanitize.sh).
 * `go build` takes no notice of this directory, which has no Go files. */
#ifndef GOZMQ_CTEST_H
#define GOZMQ_CTEST_H

#include <pthread.h>

#include "../draft.h"
#include "../shim_internal.h"

/* Not in shim.h, since no other shim needs them. */
int gz_curve_keypair(char *public_key, char *secret_key);
int gz_curve_public(char *public_key, const char *secret_key);

enum {
  PAIR, PUB, SUB, REQ, REP, DEALER, ROUTER, PULL, PUSH, XPUB, XSUB, STREAM,
  SERVER, CLIENT, RADIO, DISH, GATHER, SCATTER, DGRAM, PEER, CHANNEL
};

enum { OPT_ROUTING_ID = 5, OPT_SUBSCRIBE = 6, OPT_FD = 14, OPT_TYPE = 16, OPT_SNDHWM = 23, OPT_RCVHWM = 24, OPT_LAST_ENDPOINT = 32 };

/* Ends the program when something is not as it must be. */
#define CHECK(condition) ((condition) ? (void)0 : ct_fail(__FILE__, __LINE__, #condition, 0))

/* The result of a call that must not fail. */
#define WORKS(call) ct_works((int64_t)(call), __FILE__, __LINE__, #call)

void ct_fail(const char *file, int line, const char *what, int rc);
int64_t ct_works(int64_t rc, const char *file, int line, const char *what);

/* How much is done: 1 for a short run. */
extern int ct_rounds;

/* What the caller of the shims adds to a socket: the mutex, and a descriptor to wait on. */
typedef struct ct_socket {
  gz_socket *s;
  int fd;
  pthread_mutex_t lock;
} ct_socket;

ct_socket *ct_open(void *context, int type);
void ct_close(ct_socket *s);
void ct_set_int(ct_socket *s, int option, int value);
void ct_link(ct_socket *binds, ct_socket *connects, const char *endpoint, char *where);
int ct_nap(int fd, int milliseconds);
void ct_wait(ct_socket *s); /* until something may have happened; without the mutex */

/* An endpoint of inproc that is nobody else's. */
enum { ENDPOINT = 256 };
void ct_name(char *name);

static inline int rc_of(gz_result r) { return (int)(int32_t)r; }
static inline int events_of(gz_result r) { return (int)(uint16_t)((uint64_t)r >> 32); }
static inline int messages_of(gz_result r) { return (int)(uint16_t)((uint64_t)r >> 48); }

static inline uint8_t *bytes_of(gz_msg *m) { return m->data ? (uint8_t *)m->data : (uint8_t *)&m->raw + m->offset; }

/* What Go does with a home, most of it without calling C. */
gz_home *ct_home(int wake);
gz_buffer *ct_take(gz_home *home);
void ct_give_back(gz_buffer *b);
void ct_lend(gz_msg *m, gz_buffer *b, void *content, int64_t size);

/* What libzmq promises of memory that goes from thread to thread through it, told to
 * ThreadSanitizer. */
void ct_promise(void);

/* Counting: how often the shims' functions were called. */
void ct_count_begin(void);
int ct_count_end(int drafts);

void ct_stack(void);
void ct_traffic(void);
void ct_messages(void);
void ct_contexts(void);
void ct_sockets(void);
void ct_drafts(void);
void ct_limits(void);

#endif
