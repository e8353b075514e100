#include <errno.h>
#include <string.h>

#include "shim.h"
#include "shim_internal.h"

static void clear(gz_msg *m) {
  m->flags = 0;
  m->size = 0;
  m->data = 0;
  m->offset = 0;
}

/* A message of `size` bytes in libzmq's memory. */
int gz_msg_alloc(gz_msg *m, int64_t size) {
  if (m->flags & GZ_LIVE) gz.msg_close(&m->raw);
  clear(m);
  if (gz.msg_init_size(&m->raw, (size_t)size) < 0) return -errno;
  gz_msg_fill(m);
  return 0;
}

/* A second message with the same content; libzmq counts the references. */
int gz_msg_clone(gz_msg *dst, gz_msg *src) {
  gz.msg_init(&dst->raw);
  if (src->flags & GZ_LIVE) {
    if (gz.msg_copy(&dst->raw, &src->raw) < 0) return -errno;
    /* Sharing marks the source's own structure, so both are described anew. */
    gz_msg_fill(src);
  }
  gz_msg_fill(dst);
  return 0;
}

/* Releases the content of n messages in one crossing. */
void gz_msgs_close(gz_msg *m, int n) {
  for (int i = 0; i < n; i++) {
    if (m[i].flags & GZ_LIVE) gz.msg_close(&m[i].raw);
    clear(&m[i]);
  }
}

/* Copies a property's text into buf and returns its length, which may exceed
 * cap: then nothing was copied and a longer buffer is needed. */
int gz_msg_property(gz_msg *m, const char *name, uint8_t *buf, int cap) {
  if (!(m->flags & GZ_LIVE)) return -EINVAL;
  const char *value = gz.msg_gets(&m->raw, name);
  if (!value) return -errno;
  size_t len = strlen(value);
  if (len <= (size_t)cap) memcpy(buf, value, len);
  return (int)len;
}
