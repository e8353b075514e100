#include <errno.h>

#include "shim.h"

#define OPT_CONNECT_ROUTING_ID 61
#define TYPE_PAIR 0

/* Makes libzmq report what happens to the connections of s, as messages to sink, a
 * ROUTER: they begin with id. One crossing instead of three, and in the order that
 * counts: libzmq sends its reports with a blocking send, from its I/O threads, so
 * whoever receives them is connected first, without a high-water mark. A libzmq
 * with the draft API sends the second version of its reports. */
int gz_monitor_start(gz_socket *s, gz_socket *sink, const char *endpoint, const uint8_t *id, int n, uint64_t events) {
  int rc;
  do rc = gz.setsockopt(sink, OPT_CONNECT_ROUTING_ID, id, (size_t)n);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  do rc = gz.connect(sink, endpoint);
  while (rc < 0 && errno == EINTR);
  if (rc < 0) return -errno;
  do { /* interrupted, it has not bound the name */
    if (gz.socket_monitor_versioned)
      rc = gz.socket_monitor_versioned(s, endpoint, events, 2, TYPE_PAIR);
    else
      rc = gz.socket_monitor(s, endpoint, (int)(events & 0xffff));
  } while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : 0;
}

/* Ends the reports. The last one says so. */
int gz_monitor_stop(gz_socket *s) { return gz.socket_monitor(s, NULL, 0) < 0 ? -errno : 0; }

/* Asks for a report of each pipe's queues. */
int gz_monitor_pipes(gz_socket *s) {
  if (!gz.socket_monitor_pipes_stats) return -ENOTSUP;
  return gz.socket_monitor_pipes_stats(s) < 0 ? -errno : 0;
}

int gz_monitor_versioned(void) { return gz.socket_monitor_versioned != NULL; }
