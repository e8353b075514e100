/* The shims: one C function per operation of go-zmq, so that each operation is one cgo
 * call. The shims return a count or -errno, retry EINTR themselves (a signal can
 * interrupt even a non-blocking call), and never block on a socket. The caller holds the
 * socket's mutex. */
#ifndef GOZMQ_SHIM_H
#define GOZMQ_SHIM_H

#include <stdbool.h>

#include "api.h"

/* One message part in memory that Go owns: libzmq's structure, followed by the fields
 * that save Go further cgo calls. libzmq keeps short content inside the structure. Its
 * address is valid only until the structure is moved, so `data` is 0 and `offset` is the
 * position of the content in `raw`.
 *
 * Content that libzmq has not seen yet has only GZ_OURS set. `data` and `size` say where
 * it lies, and raw.opaque[0] is its gz_buffer, or 0 for borrowed bytes. libzmq takes it
 * over when it is sent. */
typedef struct gz_msg {
  zmq_msg_t raw;
  uintptr_t data;
  int64_t size;
  uint16_t flags;
  uint16_t offset;
  uint32_t owner; /* set by Go; the shims do not change it */
} gz_msg;

enum {
  GZ_LIVE = 1, /* raw is initialised and must be closed or sent */
  GZ_MORE = 2, /* another part of the same message follows */
  GZ_OURS = 4, /* the content is not in libzmq's memory */
};

/* The header of a block of native memory that is lent to libzmq and returned to its home.
 * Go has the same structure (buffer.go). */
typedef struct gz_buffer {
  struct gz_buffer *next; /* the next of a list, while unused */
  struct gz_home *home;
  int64_t copy_below; /* parts shorter than this are copied when they are sent */
  int64_t tag;        /* this field and the next three belong to Go */
  int64_t watched;
  uint64_t sum;
  int64_t sealed;
  uint64_t unused; /* padding: the content begins on its own cache line */
} gz_buffer;

/* A stack of returned buffers. Any thread may push onto it without a lock, and Go takes
 * the whole stack. It is never freed. */
typedef struct gz_home {
  uintptr_t head; /* the stack; GZ_CLOSED once the home is closed */
  int64_t live;   /* buffers that exist */
  int64_t wake;   /* a pipe to write to when the stack was empty, or -1 */
  struct gz_home *next;   /* the next of the list of all homes */
  struct gz_heads *heads; /* the blocks of gz_heads_alloc */
  uint64_t unused[3];
} gz_home;

#define GZ_CLOSED ((uintptr_t)1)

/* libzmq's handle of a socket. The type contains no pointers, so cgo does not check it on
 * each call. */
typedef struct gz_socket {
  char opaque;
} gz_socket;

/* Flags of the shims. */
enum {
  GZ_WANT_EVENTS = 1, /* report the events even when the operation succeeds */
  GZ_INEXACT = 2,     /* libzmq's POLLOUT is unreliable here: retry once only */
  GZ_NO_FINISH = 4,   /* PAIR: do not finish a message after its peer left */
  GZ_COPY = 8,        /* libzmq can lose messages: copy, do not lend */
  GZ_FRAGILE = 16,    /* DGRAM: a failed send may have invalidated its part */
  GZ_UPSTREAM = 32,   /* XPUB: a received message may lack a reference, see gz_msg_own */
};

enum {
  GZ_POLLIN = 1,
  GZ_POLLOUT = 2,
  GZ_POLLTERM = 0x100, /* the context was shut down */
  GZ_LOST = 0x200,     /* a batch: its last message was lost, see GZ_ELOST */
};

#define GZ_ETERM 156384765
#define GZ_EFSM 156384763
#define GZ_ELOST 156390000 /* go-zmq's: the peer left in the middle of this message */
#define GZ_EUNBOUND 156390001 /* go-zmq's: the DGRAM has no UDP socket */

/* The result of an operation: the count or -errno in the low 32 bits, then 16 bits of the
 * socket's events (0 unless they were read), then, for batches, 16 bits for the number of
 * messages. */
typedef int64_t gz_result;

/* Counters of what was sent. */
typedef struct gz_traffic {
  int64_t parts, bytes;
  int64_t ended; /* messages of an id and an empty part: STREAM disconnects */
} gz_traffic;

gz_result gz_send1(gz_socket *s, const uint8_t *p, int64_t n, int flags);
gz_result gz_send2(gz_socket *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, int flags);
gz_result gz_send3(gz_socket *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2, int flags);
gz_result gz_send4(gz_socket *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2,
                   const uint8_t *p3, int64_t n3, int flags);
gz_result gz_send_list(gz_socket *s, const uint8_t *flat, const int64_t *lens, int n, gz_msg *msgs, int flags);
gz_result gz_send_msgs(gz_socket *s, gz_msg *msgs, int n, int flags);
gz_result gz_send_packed(gz_socket *s, const uint8_t *p, int64_t len, int n, int64_t most_bytes, int64_t *gone, gz_traffic *traffic,
                         int flags);
gz_result gz_send_batch(gz_socket *s, gz_msg *msgs, const int32_t *starts, int n, int64_t most_bytes, gz_traffic *traffic, int flags);

gz_result gz_recv(gz_socket *s, gz_msg *first, gz_msg *rest, int cap, int old, int flags);
int gz_recv_rest(gz_socket *s, gz_msg *rest, int cap, int flags);
gz_result gz_recv_batch(gz_socket *s, gz_msg *msgs, int cap, int from, int old, int32_t *starts, int most, int64_t most_bytes, int flags);
gz_result gz_events(gz_socket *s);

int gz_msg_alloc(gz_msg *m, int64_t size);
int gz_msg_clone(gz_msg *dst, gz_msg *src);
void gz_msgs_close(gz_msg *m, int n);
int gz_msg_shared(gz_msg *m);
int gz_msg_property(gz_msg *m, const char *name, uint8_t *buf, int cap);

gz_home *gz_home_open(int wake);
void gz_home_close(gz_home *home);
gz_buffer *gz_home_take(gz_home *home);
gz_buffer *gz_buffers_alloc(gz_home *home, int64_t size, int64_t copy_below, int64_t tag, int n);
gz_buffer *gz_heads_alloc(gz_home *home, int n);
void gz_heads_free(gz_home *home, gz_buffer *heads);
void gz_buffers_free(gz_buffer *list);
void *gz_memory_alloc(int64_t size);
void gz_memory_free(void *p);

int gz_ctx_open(void **ctx);
int gz_ctx_set(void *ctx, int option, int value);
int gz_ctx_get(void *ctx, int option, int *value);
int gz_ctx_shutdown(void *ctx);
int gz_ctx_term(void *ctx);

int gz_probe_fds(int n);
int gz_probe_threads(int n, int policy, int priority);
int gz_socket_open(void *ctx, int type, gz_socket **s);
int gz_socket_close(gz_socket *s, int linger, bool reports);
int gz_set_option(gz_socket *s, int option, const uint8_t *value, int64_t n);
int gz_get_option(gz_socket *s, int option, uint8_t *buf, int64_t *n);
int gz_get_int(gz_socket *s, int option);
int gz_bind(gz_socket *s, const char *endpoint);
int gz_connect(gz_socket *s, const char *endpoint);
int gz_unbind(gz_socket *s, const char *endpoint);
int gz_disconnect(gz_socket *s, const char *endpoint);

int gz_monitor_start(gz_socket *s, gz_socket *sink, const char *endpoint, const uint8_t *id, int n, int events);
int gz_monitor_stop(gz_socket *s);

int gz_count_subscriptions(gz_socket *s, int64_t *change);

int gz_signal_open(gz_socket *s, void **signal);
gz_fd gz_signal_fd(void *signal);
void gz_signal_clear(void *signal);
void gz_signal_close(void *signal);

/* A zmq_pollitem_t, or a WSAPOLLFD on Windows. */
typedef struct gz_poll_item {
#ifndef _WIN32
  void *socket;
#endif
  gz_fd fd;
  short events, revents;
} gz_poll_item;

int gz_poll_fds(gz_poll_item *items, int n, long timeout_ms);

int gz_peer_state(gz_socket *s, const uint8_t *id, int64_t n);

/* Who is at the other end of a connection. */
typedef struct gz_identity {
  uint64_t inode; /* of the descriptor; 0: unknown */
  int64_t process;
  uint32_t zone;
  uint16_t port;
  uint8_t size; /* of the address in bytes; 0: none */
  uint8_t address[16];
} gz_identity;
void gz_identify(int64_t fd, gz_identity *who);
int64_t gz_bytes_received(int64_t fd, uint64_t inode);
int gz_end_connection(int64_t fd, uint64_t inode);
int64_t gz_msg_origin(gz_msg *m);

gz_fd gz_dup(gz_fd fd);
int gz_readable(gz_fd fd);
void gz_consume(gz_fd fd);

#endif
