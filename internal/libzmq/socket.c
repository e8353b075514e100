#include <errno.h>

#include "shim.h"
#include "shim_internal.h"

#define OPT_EVENTS 15
#define OPT_LINGER 17

#define RETRY(call)                                                            \
  int rc;                                                                      \
  do rc = (call);                                                              \
  while (rc < 0 && errno == EINTR);                                            \
  return rc < 0 ? -errno : 0

int gz_socket_open(void *ctx, int type, gz_socket **s) {
  *s = gz.socket(ctx, type);
  return *s ? 0 : -errno;
}

/* Stops the monitor unless reports is set, sets the linger period, and closes the socket. After a shutdown only the close still works, and only its result
 * matters. */
int gz_socket_close(gz_socket *s, int linger, bool reports) {
  if (!reports) gz.socket_monitor(s, NULL, 0);
  gz.setsockopt(s, OPT_LINGER, &linger, sizeof linger);
  return gz.close(s) < 0 ? -errno : 0;
}

/* To empty a string option, libzmq requires NULL with length 0. */
int gz_set_option(gz_socket *s, int option, const uint8_t *value, int64_t n) {
  RETRY(gz.setsockopt(s, option, n ? value : NULL, (size_t)n));
}

int gz_get_option(gz_socket *s, int option, uint8_t *buf, int64_t *n) {
  size_t len = (size_t)*n;
  int rc;
  do rc = gz.getsockopt(s, option, buf, &len);
  while (rc < 0 && errno == EINTR);
  *n = (int64_t)len;
  return rc < 0 ? -errno : 0;
}

int gz_get_int(gz_socket *s, int option) {
  int value = 0, rc;
  size_t len = sizeof value;
  do rc = gz.getsockopt(s, option, &value, &len);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : value;
}

/* These functions process the mailbox before they have any effect, so they can be
 * repeated after EINTR. */
int gz_bind(gz_socket *s, const char *endpoint) { RETRY(gz.bind(s, endpoint)); }
int gz_connect(gz_socket *s, const char *endpoint) { RETRY(gz.connect(s, endpoint)); }
int gz_unbind(gz_socket *s, const char *endpoint) { RETRY(gz.unbind(s, endpoint)); }
int gz_disconnect(gz_socket *s, const char *endpoint) { RETRY(gz.disconnect(s, endpoint)); }

/* Reads ZMQ_EVENTS, which makes libzmq process every command in the socket's mailbox. The
 * throttled check at the start of a send does not do this. */
int gz_read_events(gz_socket *s) {
  int events = 0, rc;
  size_t len = sizeof events;
  do rc = gz.getsockopt(s, OPT_EVENTS, &events, &len);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return errno == GZ_ETERM ? GZ_POLLTERM : 0;
  return events & (GZ_POLLIN | GZ_POLLOUT);
}

gz_result gz_events(gz_socket *s) { return gz_result_of(0, gz_read_events(s)); }
