/* go-zmq's own declarations of the libzmq functions that it calls: a table of function
 * pointers that load_dlopen.c or load_link.c fills. Because of this table, a build needs
 * neither zmq.h nor pkg-config, and one binary works with every libzmq from the minimum
 * version up. */
#ifndef GOZMQ_API_H
#define GOZMQ_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#include "errno_windows.h"
#endif

/* In every libzmq 4.x, zmq_msg_t has 64 bytes and the alignment of a pointer. */
typedef struct zmq_msg_t {
  uint64_t opaque[8];
} zmq_msg_t;

/* A descriptor of libzmq. On Windows that is a SOCKET. */
#ifdef _WIN32
typedef int64_t gz_fd;
#else
typedef int gz_fd;
#endif

typedef void zmq_free_fn(void *data, void *hint);

/* X(required, return type, name, parameters). Functions of the stable API are required.
 * Functions of the draft API are NULL if the loaded library lacks them. */
#define GZ_FUNCTIONS(X)                                                        \
  X(1, void, version, (int *, int *, int *))                                   \
  X(1, int, has, (const char *))                                               \
  X(1, const char *, strerror, (int))                                          \
  X(1, void *, ctx_new, (void))                                                \
  X(1, int, ctx_set, (void *, int, int))                                       \
  X(1, int, ctx_get, (void *, int))                                            \
  X(1, int, ctx_shutdown, (void *))                                            \
  X(1, int, ctx_term, (void *))                                                \
  X(1, void *, socket, (void *, int))                                          \
  X(1, int, close, (void *))                                                   \
  X(1, int, setsockopt, (void *, int, const void *, size_t))                   \
  X(1, int, getsockopt, (void *, int, void *, size_t *))                       \
  X(1, int, bind, (void *, const char *))                                      \
  X(1, int, connect, (void *, const char *))                                   \
  X(1, int, unbind, (void *, const char *))                                    \
  X(1, int, disconnect, (void *, const char *))                                \
  X(1, int, send, (void *, const void *, size_t, int))                         \
  X(1, int, recv, (void *, void *, size_t, int))                               \
  X(1, int, msg_init, (zmq_msg_t *))                                           \
  X(1, int, msg_init_size, (zmq_msg_t *, size_t))                              \
  X(1, int, msg_init_data, (zmq_msg_t *, void *, size_t, zmq_free_fn *, void *)) \
  X(1, int, msg_send, (zmq_msg_t *, void *, int))                              \
  X(1, int, msg_recv, (zmq_msg_t *, void *, int))                              \
  X(1, int, msg_close, (zmq_msg_t *))                                          \
  X(1, int, msg_copy, (zmq_msg_t *, zmq_msg_t *))                              \
  X(1, void *, msg_data, (zmq_msg_t *))                                        \
  X(1, size_t, msg_size, (const zmq_msg_t *))                                  \
  X(1, int, msg_more, (const zmq_msg_t *))                                     \
  X(1, int, msg_get, (const zmq_msg_t *, int))                                 \
  X(1, const char *, msg_gets, (const zmq_msg_t *, const char *))              \
  X(1, int, poll, (void *, int, long))                                         \
  X(1, int, socket_monitor, (void *, const char *, int))                       \
  X(1, int, proxy, (void *, void *, void *))                                   \
  X(1, int, proxy_steerable, (void *, void *, void *, void *))                 \
  X(1, int, curve_keypair, (char *, char *))                                   \
  X(1, int, curve_public, (char *, const char *))                              \
  X(0, int, ctx_set_ext, (void *, int, const void *, size_t))                  \
  X(0, int, ctx_get_ext, (void *, int, void *, size_t *))                      \
  X(0, int, join, (void *, const char *))                                      \
  X(0, int, leave, (void *, const char *))                                     \
  X(0, int, msg_set_routing_id, (zmq_msg_t *, uint32_t))                       \
  X(0, uint32_t, msg_routing_id, (zmq_msg_t *))                                \
  X(0, int, msg_set_group, (zmq_msg_t *, const char *))                        \
  X(0, const char *, msg_group, (zmq_msg_t *))                                 \
  X(0, uint32_t, connect_peer, (void *, const char *))                         \
  X(0, int, disconnect_peer, (void *, uint32_t))                               \
  X(0, int, socket_get_peer_state, (void *, const void *, size_t))             \
  X(0, void *, poller_new, (void))                                             \
  X(0, int, poller_destroy, (void **))                                         \
  X(0, int, poller_add, (void *, void *, void *, short))                       \
  X(0, int, poller_fd, (void *, gz_fd *))

typedef struct gz_api {
#define GZ_FIELD(required, ret, name, params) ret(*name) params;
  GZ_FUNCTIONS(GZ_FIELD)
#undef GZ_FIELD
  void (*forgotten)(zmq_msg_t *); /* a hook of tests for msgs never closed */
} gz_api;

extern gz_api gz;

/* Fills the table. path is the library to open, or NULL for the platform's usual names.
 * Returns 0, or -1 with a description of every name tried in err. where receives the name
 * that was opened. Calls must not overlap. */
int gz_load(const char *path, char *where, size_t where_len, char *err, size_t err_len);

/* Redirects imports of libzmq to functions that prevent remote peers from aborting the
 * process. Returns 1 if it redirected them, 0 if it changed nothing. Call it once, after
 * gz_load and before the first context is created. */
int gz_guard(void);

/* Returns 1 if the process runs with raised privileges, for example setuid. The
 * environment must not choose the library of such a process. */
int gz_privileged(void);

#endif
