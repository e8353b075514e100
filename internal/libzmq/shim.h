/* The shims: one C function per operation of go-zmq, so that each operation
 * crosses from Go into C once. All of them return a count or -errno, retry EINTR
 * themselves (a signal can interrupt even a non-blocking call), and never block
 * on a socket. The caller holds the socket's mutex. */
#ifndef GOZMQ_SHIM_H
#define GOZMQ_SHIM_H

#include "api.h"

/* One message part in memory that Go owns: libzmq's structure, and beside it
 * what Go would otherwise cross for. libzmq keeps short contents inside the
 * structure itself; their address is only good while the structure stays where
 * it is, so for them `data` is 0 and `offset` says where in `raw` they begin. */
typedef struct gz_msg {
  zmq_msg_t raw;
  uintptr_t data;
  int64_t size;
  uint32_t flags;
  uint32_t offset;
} gz_msg;

enum {
  GZ_LIVE = 1, /* raw was initialised and may hold content: it must be closed or sent */
  GZ_MORE = 2, /* another part of the same message follows */
};

/* What an operation is told. */
enum {
  GZ_WANT_EVENTS = 1, /* report the events even when the operation succeeds */
  GZ_INEXACT = 2,     /* libzmq's POLLOUT is no promise for this socket: try once only */
  GZ_NO_FINISH = 4,   /* PAIR: a message cut off by its peer's leaving must not be finished */
};

enum {
  GZ_POLLIN = 1,
  GZ_POLLOUT = 2,
  GZ_POLLTERM = 0x100, /* the context was shut down */
};

#define GZ_ETERM 156384765
#define GZ_EFSM 156384763
#define GZ_ELOST 156390000 /* ours: the peer left in the middle of this message */

/* An operation's result: the count or -errno in the low half, the socket's
 * events in the high half (0 unless they were read). */
typedef int64_t gz_result;

gz_result gz_send1(void *s, const uint8_t *p, int64_t n, int how);
gz_result gz_send2(void *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, int how);
gz_result gz_send3(void *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2, int how);
gz_result gz_send4(void *s, const uint8_t *p0, int64_t n0, const uint8_t *p1, int64_t n1, const uint8_t *p2, int64_t n2,
                   const uint8_t *p3, int64_t n3, int how);
gz_result gz_send_list(void *s, const uint8_t *flat, const int64_t *lens, int n, gz_msg *msgs, int how);
gz_result gz_send_msgs(void *s, gz_msg *msgs, int n, int how);

gz_result gz_recv(void *s, gz_msg *first, gz_msg *rest, int cap, int old, int how);
int gz_recv_rest(void *s, gz_msg *rest, int cap);
gz_result gz_events(void *s);

int gz_msg_alloc(gz_msg *m, int64_t size);
int gz_msg_clone(gz_msg *dst, gz_msg *src);
void gz_msgs_close(gz_msg *m, int n);
int gz_msg_property(gz_msg *m, const char *name, uint8_t *buf, int cap);

int gz_ctx_open(void **ctx);
int gz_ctx_set(void *ctx, int option, int value);
int gz_ctx_get(void *ctx, int option, int *value);
int gz_ctx_shutdown(void *ctx);
int gz_ctx_term(void *ctx);

int gz_probe_fds(int n);
int gz_probe_threads(int n, int policy, int priority);
int gz_socket_open(void *ctx, int type, void **s);
int gz_socket_close(void *s, int linger, int set_linger);
int gz_set_option(void *s, int option, const uint8_t *value, int64_t n);
int gz_get_option(void *s, int option, uint8_t *buf, int64_t *n);
int gz_get_int(void *s, int option);
int gz_bind(void *s, const char *endpoint);
int gz_connect(void *s, const char *endpoint);
int gz_unbind(void *s, const char *endpoint);
int gz_disconnect(void *s, const char *endpoint);

int gz_dup(int fd);
int gz_readable(int fd);

#endif
