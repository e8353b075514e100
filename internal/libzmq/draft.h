/* The shims of the draft API, see shim.h. They return -ENOTSUP if libzmq lacks it. */
#ifndef GOZMQ_DRAFT_H
#define GOZMQ_DRAFT_H

#include "shim.h"

/* The length of the longest group that go-zmq sets, and of the longest that a peer can
 * set. */
#define GZ_GROUP_MAX 14
#define GZ_GROUP_READ 255

int gz_join(gz_socket *s, const char *group);
int gz_leave(gz_socket *s, const char *group);
int64_t gz_connect_peer(gz_socket *s, const char *endpoint);
int gz_disconnect_peer(gz_socket *s, uint32_t id);
int gz_can_disconnect_peer(void);

int gz_msg_set_routing_id(gz_msg *m, uint32_t id);
int64_t gz_msg_routing_id(gz_msg *m);
int gz_msg_set_group(gz_msg *m, const uint8_t *group, int len);
int gz_msg_group(gz_msg *m, uint8_t *buf);

void gz_dish_port(int port, bool on);

int gz_ctx_set_text(void *ctx, int option, const uint8_t *value, int64_t n);
int gz_ctx_get_text(void *ctx, int option, uint8_t *buf, int64_t n);

#endif
