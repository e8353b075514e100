#include <errno.h>

#include "shim.h"

/* The events that a peer is ready for, of which libzmq knows GZ_POLLOUT. Asking for
 * the socket's own events first carries out what other threads have told it, such
 * as that the peer has read something; it saves a crossing. Of the draft API: a
 * library without it gives -ENOTSUP. */
int gz_peer_state(gz_socket *s, const uint8_t *id, int64_t n) {
  if (!gz.socket_get_peer_state) return -ENOTSUP;
  gz_result events = gz_events(s);
  if ((events >> 32) & GZ_POLLTERM) return -GZ_ETERM;
  int rc;
  do rc = gz.socket_get_peer_state(s, id, (size_t)n);
  while (rc < 0 && errno == EINTR);
  return rc < 0 ? -errno : rc;
}
