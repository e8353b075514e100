#include <errno.h>
#include <string.h>

#include "draft.h"
#include "shim_internal.h"

#define GZ_SHARED 3 /* ZMQ_SHARED, a message property */

/* Records in m where its content lies. */
static void describe(gz_msg *m, void *content, int64_t size, int flags) {
  uintptr_t data = (uintptr_t)content;
  uintptr_t self = (uintptr_t)&m->raw;
  m->size = size;
  if (data >= self && data < self + sizeof m->raw) {
    m->offset = (uint16_t)(data - self);
    m->data = 0;
  } else {
    m->offset = 0;
    m->data = data;
  }
  m->flags = (uint16_t)flags;
}

/* Records in m what Go needs to use it without a cgo call. */
void gz_msg_fill(gz_msg *m, int64_t size) {
  describe(m, gz.msg_data(&m->raw), size, GZ_LIVE | (gz.msg_more(&m->raw) ? GZ_MORE : 0));
}

/* Repairs a message that an XPUB has received. XPUB copies the content of a message from
 * an XSUB, and gives the copy the flags of the original. Over inproc the "shared" flag is
 * among them if the XSUB has several peers or has cloned the message. The reference count
 * of the copy is 0. Closing the copy would leak the content, and if there are two clones,
 * closing the first would free the content. A copy of the structure that is never closed
 * makes the count 1. See docs/upstream.md. */
void gz_msg_own(zmq_msg_t *m) {
  zmq_msg_t uncounted;
  if (gz.msg_get(m, GZ_SHARED) != 1) return;
  gz.msg_init(&uncounted);
  gz.msg_copy(&uncounted, m);
  if (gz.forgotten) gz.forgotten(&uncounted);
}

/* Releases the content of m and gives it a content of size bytes in libzmq's memory. */
int gz_msg_alloc(gz_msg *m, int64_t size) {
  gz_drop(m);
  if (gz.msg_init_size(&m->raw, (size_t)size) < 0) return -errno;
  describe(m, gz.msg_data(&m->raw), size, GZ_LIVE);
  return 0;
}

/* Creates a libzmq message that points to the unseen content. */
int gz_msg_lend(gz_msg *m) {
  gz_buffer *b = gz_buffer_of(m);
  if (gz.msg_init_data(&m->raw, (void *)m->data, (size_t)m->size, gz_give_back, b) < 0) {
    int err = errno;
    m->raw.opaque[0] = (uintptr_t)b;
    return -err;
  }
  m->flags |= GZ_LIVE;
  return 0;
}

/* Sets a group that libzmq keeps inside the structure, and rejects a longer one. For a
 * longer group libzmq allocates memory without a reference count, so each of several
 * peers that receive the message frees it. A second group overwrites the address of that
 * memory. */
int gz_set_group(zmq_msg_t *raw, const uint8_t *group, int len) {
  char name[GZ_GROUP_MAX + 1];
  if (len > GZ_GROUP_MAX) return -EINVAL;
  if (len) memcpy(name, group, (size_t)len);
  name[len] = 0;
  return gz.msg_set_group(raw, name) < 0 ? -errno : 0;
}

/* Gives a copy of a message the routing id and the group of the message. */
static int copy_address(zmq_msg_t *to, zmq_msg_t *from) {
  uint32_t id = gz.msg_routing_id ? gz.msg_routing_id(from) : 0;
  const char *group = gz.msg_group ? gz.msg_group(from) : "";
  if (id && gz.msg_set_routing_id(to, id) < 0) return -errno;
  return *group ? gz_set_group(to, (const uint8_t *)group, (int)strlen(group)) : 0;
}

/* Replaces content that libzmq knows, and may lose, with a copy. */
static int copy_live(gz_msg *m) {
  gz_msg copy;
  if (gz.msg_init_size(&copy.raw, (size_t)m->size) < 0) return -errno;
  int rc = copy_address(&copy.raw, &m->raw);
  if (rc < 0) {
    gz.msg_close(&copy.raw);
    return rc;
  }
  memcpy(gz.msg_data(&copy.raw), (void *)m->data, (size_t)m->size);
  int64_t size = m->size;
  int more = m->flags & GZ_MORE;
  gz_drop(m);
  m->raw = copy.raw;
  describe(m, gz.msg_data(&m->raw), size, GZ_LIVE | more);
  return 0;
}

/* Replaces content outside libzmq's memory with a copy in libzmq's memory. */
int gz_msg_copy_out(gz_msg *m) {
  if (m->flags & GZ_LIVE) return copy_live(m);
  gz_buffer *b = gz_buffer_of(m);
  void *from = (void *)m->data;
  if (gz.msg_init_size(&m->raw, (size_t)m->size) < 0) {
    int err = errno;
    m->raw.opaque[0] = (uintptr_t)b;
    return -err;
  }
  void *to = gz.msg_data(&m->raw);
  if (m->size) memcpy(to, from, (size_t)m->size);
  describe(m, to, m->size, GZ_LIVE | (m->flags & GZ_MORE));
  if (b) gz_give_back(from, b);
  return 0;
}

/* Creates a second message with the same content. libzmq counts the references. */
int gz_msg_clone(gz_msg *dst, gz_msg *src) {
  if (gz_unseen(src)) {
    int rc = gz_buffer_of(src) ? gz_msg_lend(src) : gz_msg_copy_out(src);
    if (rc < 0) return rc;
  }
  gz.msg_init(&dst->raw);
  if (src->flags & GZ_LIVE) {
    uint16_t flags = src->flags; /* libzmq does not know GZ_MORE of a message that go-zmq copied */
    if (gz.msg_copy(&dst->raw, &src->raw) < 0) return -errno;
    /* zmq_msg_copy also changes the source's structure, so both are described again. */
    gz_msg_fill(src, src->size);
    gz_msg_fill(dst, src->size);
    src->flags = dst->flags = flags;
    return 0;
  }
  gz_msg_fill(dst, 0);
  return 0;
}

/* Releases the content of a message. */
void gz_drop(gz_msg *m) {
  if (m->flags & GZ_LIVE)
    gz.msg_close(&m->raw);
  else if ((m->flags & GZ_OURS) && gz_buffer_of(m))
    gz_give_back((void *)m->data, gz_buffer_of(m));
  gz_clear(m);
}

/* Releases the content of n messages in one cgo call. */
void gz_msgs_close(gz_msg *m, int n) {
  for (int i = 0; i < n; i++) gz_drop(&m[i]);
}

/* Reports whether the content is shared. Content inside the structure never is, but the
 * flags of a message that an XPUB received may claim it. */
int gz_msg_shared(gz_msg *m) { return m->data && gz.msg_get(&m->raw, GZ_SHARED) == 1; }

/* Copies a property's text into buf and returns its length. If the length exceeds cap,
 * nothing was copied and a longer buffer is needed. */
int gz_msg_property(gz_msg *m, const char *name, uint8_t *buf, int cap) {
  if (!(m->flags & GZ_LIVE)) return -EINVAL;
  const char *value = gz.msg_gets(&m->raw, name);
  if (!value) return -errno;
  size_t len = strlen(value);
  if (len <= (size_t)cap) memcpy(buf, value, len);
  return (int)len;
}
