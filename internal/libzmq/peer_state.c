#include <errno.h>

#include "shim.h"

/* Returns the events that a peer is ready for. libzmq knows only GZ_POLLOUT. Reading the
 * socket's own events first processes commands of other threads, for example that the
 * peer has read a message, and saves a cgo call. The function belongs to the draft API:
 * the result is -ENOTSUP if libzmq lacks it. */
int gz_peer_state(gz_socket *s, const uint8_t *id, int64_t n) {
  if (!gz.socket_get_peer_state) return -ENOTSUP;
  gz_result events = gz_events(s);
  if ((events >> 32) & GZ_POLLTERM) return -GZ_ETERM;
  int rc;
  do rc = gz.socket_get_peer_state(s, id, (size_t)n);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}
