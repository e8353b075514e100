#include <errno.h>

#include "shim.h"

#define OPT_CONNECT_ROUTING_ID 61
#define TYPE_PAIR 0

/* Makes libzmq send reports of the connections of s to sink, a ROUTER. Each report begins
 * with id. The shim replaces three cgo calls. The order matters: libzmq sends its reports
 * with a blocking send from its I/O threads, so the receiver is connected first, without
 * a high-water mark. A libzmq with the draft API sends version 2 of its reports. */
int gz_monitor_start(gz_socket *s, gz_socket *sink, const char *endpoint, const uint8_t *id, int n, uint64_t events) {
  int rc;
  do rc = gz.setsockopt(sink, OPT_CONNECT_ROUTING_ID, id, (size_t)n);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  do rc = gz.connect(sink, endpoint);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  do { /* a call that was interrupted has not bound the name */
    if (gz.socket_monitor_versioned)
      rc = gz.socket_monitor_versioned(s, endpoint, events, 2, TYPE_PAIR);
    else
      rc = gz.socket_monitor(s, endpoint, (int)(events & 0xffff));
  } while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Stops the reports. The last report announces this. */
int gz_monitor_stop(gz_socket *s) { return gz.socket_monitor(s, NULL, 0) < 0 ? -errno : 0; }

/* Requests a report of the queues of each pipe. */
int gz_monitor_pipes(gz_socket *s) {
  if (!gz.socket_monitor_pipes_stats) return -ENOTSUP;
  return gz.socket_monitor_pipes_stats(s) < 0 ? -errno : 0;
}

int gz_monitor_versioned(void) { return gz.socket_monitor_versioned != NULL; }
