#include <errno.h>

#include "shim.h"

/* Creates a zmq_poller for one thread-safe socket. These sockets have no ZMQ_FD, but
 * signal each poller that they were added to. No thread waits on this poller. Each
 * command that the socket was waiting for is therefore a write to the descriptor, and
 * only gz_signal_clear reads the descriptor. */
int gz_signal_open(gz_socket *s, void **signal) {
  *signal = NULL;
  if (!gz.poller_new || !gz.poller_destroy || !gz.poller_add || !gz.poller_fd) return -ENOTSUP;
  void *p = gz.poller_new();
  if (!p) return -errno;
  int rc = gz.poller_add(p, s, NULL, GZ_POLLIN | GZ_POLLOUT);
  if (rc < 0) {
    rc = -errno;
    gz.poller_destroy(&p);
    return rc;
  }
  *signal = p;
  return 0;
}

gz_fd gz_signal_fd(void *signal) {
  gz_fd fd = -1;
  return gz.poller_fd(signal, &fd) < 0 ? -errno : fd;
}

/* Consumes the signal. */
void gz_signal_clear(void *signal) {
  gz_fd fd = gz_signal_fd(signal);
  if (fd >= 0 && gz_readable(fd)) gz_consume(fd);
}

void gz_signal_close(void *signal) { gz.poller_destroy(&signal); }
