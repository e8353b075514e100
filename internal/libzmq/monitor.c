#include <errno.h>

#include "shim.h"

#define OPT_CONNECT_ROUTING_ID 61

/* Makes libzmq send reports of the connections of s to sink, a ROUTER. Each report begins
 * with id. The shim replaces three cgo calls. The order matters: libzmq sends its reports
 * with a blocking send from its I/O threads, so the receiver is connected first, without
 * a high-water mark. */
int gz_monitor_start(gz_socket *s, gz_socket *sink, const char *endpoint, const uint8_t *id, int n, int events) {
  int rc;
  do rc = gz.setsockopt(sink, OPT_CONNECT_ROUTING_ID, id, (size_t)n);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  do rc = gz.connect(sink, endpoint);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  do rc = gz.socket_monitor(s, endpoint, events); /* an interrupted call has not bound the name */
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Stops the reports. The last report announces this. */
int gz_monitor_stop(gz_socket *s) { return gz.socket_monitor(s, NULL, 0) < 0 ? -errno : 0; }
