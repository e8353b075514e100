#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#endif

static void set_address(gz_identity *who, const struct sockaddr_storage *a) {
  if (a->ss_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *)a;
    memcpy(who->address, &in->sin_addr, who->size = 4);
    who->port = ntohs(in->sin_port);
  } else if (a->ss_family == AF_INET6) {
    const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)a;
    memcpy(who->address, &in->sin6_addr, who->size = 16);
    who->port = ntohs(in->sin6_port);
    who->zone = in->sin6_scope_id;
  }
}

/* Says who is at the other end of a connection: its address over tcp, its process over ipc if
 * the system tells. The inode distinguishes descriptors with the same number. Saves four cgo
 * calls per connection. */
void gz_identify(int64_t fd, gz_identity *who) {
  struct sockaddr_storage a = {0};
  socklen_t len = sizeof a;
  memset(who, 0, sizeof *who);
#ifdef _WIN32
  if (getpeername((SOCKET)fd, (struct sockaddr *)&a, &len) == 0) set_address(who, &a);
#else
  struct stat st;
  if (fstat((int)fd, &st) < 0 || !S_ISSOCK(st.st_mode)) return;
  who->inode = (uint64_t)st.st_ino;
  if (getpeername((int)fd, (struct sockaddr *)&a, &len) == 0) set_address(who, &a);
#ifdef __linux__
  struct ucred cred;
  len = sizeof cred;
  if (a.ss_family == AF_UNIX && getsockopt((int)fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0) who->process = cred.pid;
#elif defined __APPLE__
  pid_t pid;
  len = sizeof pid;
  if (a.ss_family == AF_UNIX && getsockopt((int)fd, SOL_LOCAL, LOCAL_PEERPID, &pid, &len) == 0) who->process = pid;
#endif
#endif
}

/* Returns how many bytes the peer has sent, or -1 if the system does not say, or if the number
 * is that of another descriptor by now. The headers of older C libraries do not have this
 * member of struct tcp_info. */
int64_t gz_bytes_received(int64_t fd, uint64_t inode) {
#ifdef __linux__
  enum { BYTES_RECEIVED = 128 / 8 };
  uint64_t info[BYTES_RECEIVED + 1];
  socklen_t len = sizeof info;
  struct stat st;
  if (getsockopt((int)fd, IPPROTO_TCP, TCP_INFO, info, &len) == 0 && len == sizeof info && fstat((int)fd, &st) == 0 &&
      (uint64_t)st.st_ino == inode)
    return (int64_t)info[BYTES_RECEIVED];
#endif
  (void)fd;
  (void)inode;
  return -1;
}

/* Ends a connection without touching libzmq's descriptor: nothing that the peer sends from now
 * on is received, and libzmq meets the end when it reads. Returns -ESTALE if the number is that
 * of another descriptor by now. A duplicate keeps that from changing in between. */
int gz_end_connection(int64_t fd, uint64_t inode) {
#ifdef _WIN32
  (void)fd;
  (void)inode;
  return -ENOSYS;
#else
  struct stat st;
  int copy = fcntl((int)fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return errno == EBADF ? -ESTALE : -errno;
  int rc = fstat(copy, &st) < 0 || (uint64_t)st.st_ino != inode ? -ESTALE : 0;
  if (rc == 0 && shutdown(copy, SHUT_RDWR) < 0 && errno != ENOTCONN) rc = -errno;
  close(copy);
  return rc;
#endif
}

/* Returns the descriptor of the connection that a message came from, or -1. */
int64_t gz_msg_origin(gz_msg *m) {
  enum { SRCFD = 2 };
  if (!(m->flags & GZ_LIVE)) return -1;
  return gz.msg_get(&m->raw, SRCFD);
}
