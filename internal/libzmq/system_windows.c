#include <winsock2.h>
#include <windows.h>

#include "shim.h"
#include "system.h"

/* The number of a failed call of Winsock. Running out of sockets has the name that it has
 * on other systems. */
static int failure(void) {
  int err = WSAGetLastError();
  return err == WSAEMFILE || err == WSAENOBUFS ? EMFILE : err;
}

int gz_privileged(void) { return 0; }

/* A process has no limit of descriptors here. */
int gz_probe_fds(int n) {
  (void)n;
  return 0;
}

int gz_probe_threads(int n, int policy, int priority) {
  (void)n;
  (void)policy;
  (void)priority;
  return 0;
}

/* Duplicates libzmq's own socket, which go-zmq never exposes: if a caller closed it,
 * libzmq would abort the process. Child processes do not inherit the duplicate. */
gz_fd gz_dup(gz_fd fd) {
  WSAPROTOCOL_INFOW info;
  if (WSADuplicateSocketW((SOCKET)fd, GetCurrentProcessId(), &info)) return -failure();
  SOCKET s = WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, &info, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  return s == INVALID_SOCKET ? -failure() : (gz_fd)s;
}

int gz_poll_fds(gz_poll_item *items, int n, long timeout_ms) {
  int rc = WSAPoll((WSAPOLLFD *)items, (ULONG)n, (INT)timeout_ms);
  return rc < 0 ? -failure() : rc;
}

int gz_readable(gz_fd fd) {
  gz_poll_item item = {.fd = fd, .events = POLLRDNORM};
  return gz_poll_fds(&item, 1, 0) > 0;
}

/* Reads what is there, at least one byte: the signal of a zmq_poller, or a waker's. */
void gz_consume(gz_fd fd) {
  char used;
  recv((SOCKET)fd, &used, 1, 0);
}

/* A waker is a socket that wakes a thread that waits for other sockets. It is a UDP socket
 * that is connected to itself. Returns it, or -errno. */
gz_fd gz_waker_open(void) {
  WSADATA data;
  int rc = WSAStartup(MAKEWORD(2, 2), &data); /* without an effect after the first call */
  if (rc) return -rc;
  struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int len = sizeof self;
  unsigned long on = 1;
  SOCKET s = WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
  if (s == INVALID_SOCKET) return -failure();
  if (bind(s, (struct sockaddr *)&self, sizeof self) || getsockname(s, (struct sockaddr *)&self, &len) ||
      connect(s, (struct sockaddr *)&self, sizeof self) || ioctlsocket(s, FIONBIO, &on)) {
    rc = failure();
    closesocket(s);
    return -rc;
  }
  return (gz_fd)s;
}

/* If the socket is full, it already holds a byte, and one byte is enough. libzmq's threads
 * call this at any time, so the last error is left as it was. */
void gz_wake(int64_t wake) {
  int err = WSAGetLastError();
  send((SOCKET)wake, "", 1, 0);
  WSASetLastError(err);
}

void gz_waker_clear(gz_fd waker) {
  char used[64];
  while (recv((SOCKET)waker, used, sizeof used, 0) > 0) continue;
}

void gz_fd_close(gz_fd fd) { closesocket((SOCKET)fd); }

int64_t gz_now(void) {
  LARGE_INTEGER count, frequency;
  QueryPerformanceFrequency(&frequency);
  QueryPerformanceCounter(&count);
  return (int64_t)((double)count.QuadPart * 1e9 / (double)frequency.QuadPart);
}
