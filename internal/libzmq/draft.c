#include "draft.h"

#include <errno.h>
#include <string.h>

#include "shim_internal.h"

/* These functions process the mailbox before they have any effect, so they can be
 * repeated after EINTR. */
#define RETRY(call)                                                            \
  int rc;                                                                      \
  do rc = (call);                                                              \
  while (rc < 0 && errno == EINTR);                                            \
  return rc < 0 ? -errno : 0

int gz_join(gz_socket *s, const char *group) {
  if (!gz.join) return -ENOTSUP;
  RETRY(gz.join(s, group));
}

int gz_leave(gz_socket *s, const char *group) {
  if (!gz.leave) return -ENOTSUP;
  RETRY(gz.leave(s, group));
}

/* Returns the routing id of the new peer, which is never 0, or -errno. */
int64_t gz_connect_peer(gz_socket *s, const char *endpoint) {
  uint32_t id;
  if (!gz.connect_peer) return -ENOTSUP;
  do id = gz.connect_peer(s, endpoint);
  while (id == 0 && errno == EINTR);
  return id ? (int64_t)id : -errno;
}

int gz_can_disconnect_peer(void) { return gz.disconnect_peer != NULL; }

int gz_disconnect_peer(gz_socket *s, uint32_t id) {
  if (!gz.disconnect_peer) return -ENOTSUP;
  RETRY(gz.disconnect_peer(s, id));
}

/* Makes m a message that libzmq knows, because only libzmq's structure can hold a routing
 * id and a group. Content that libzmq has not seen is lent to it now, or copied if it
 * would be copied when it is sent. */
static int make_known(gz_msg *m) {
  if (gz_unseen(m)) {
    gz_buffer *b = gz_buffer_of(m);
    return b && m->size >= b->copy_below ? gz_msg_lend(m) : gz_msg_copy_out(m);
  }
  if (!(m->flags & GZ_LIVE)) {
    gz.msg_init(&m->raw);
    gz_msg_fill(m, 0);
  }
  return 0;
}

int gz_msg_set_routing_id(gz_msg *m, uint32_t id) {
  if (!gz.msg_set_routing_id) return -ENOTSUP;
  if (id == 0) return -EINVAL;
  int rc = make_known(m);
  if (rc < 0) return rc;
  return gz.msg_set_routing_id(&m->raw, id) < 0 ? -errno : 0;
}

/* Returns 0 if the message has no routing id. */
int64_t gz_msg_routing_id(gz_msg *m) {
  if (!gz.msg_routing_id) return -ENOTSUP;
  return m->flags & GZ_LIVE ? (int64_t)gz.msg_routing_id(&m->raw) : 0;
}

int gz_msg_set_group(gz_msg *m, const uint8_t *group, int len) {
  if (!gz.msg_set_group || !gz.msg_group) return -ENOTSUP;
  int rc = make_known(m);
  if (rc < 0) return rc;
  if (strlen(gz.msg_group(&m->raw)) > GZ_GROUP_MAX) return -EINVAL;
  return gz_set_group(&m->raw, group, len);
}

/* Copies the group into buf, which has GZ_GROUP_READ bytes, and returns its length. */
int gz_msg_group(gz_msg *m, uint8_t *buf) {
  if (!gz.msg_group) return -ENOTSUP;
  if (!(m->flags & GZ_LIVE)) return 0;
  const char *group = gz.msg_group(&m->raw);
  size_t len = strnlen(group, GZ_GROUP_READ);
  memcpy(buf, group, len);
  return (int)len;
}

int gz_ctx_set_text(void *ctx, int option, const uint8_t *value, int64_t n) {
  if (!gz.ctx_set_ext) return -ENOTSUP;
  return gz.ctx_set_ext(ctx, option, value, (size_t)n) < 0 ? -errno : 0;
}

/* libzmq does not return the length of the text. buf is cleared first, so the bytes that
 * libzmq does not write are 0. */
int gz_ctx_get_text(void *ctx, int option, uint8_t *buf, int64_t n) {
  size_t len = (size_t)n;
  if (!gz.ctx_get_ext) return -ENOTSUP;
  memset(buf, 0, (size_t)n);
  return gz.ctx_get_ext(ctx, option, buf, &len) < 0 ? -errno : 0;
}
