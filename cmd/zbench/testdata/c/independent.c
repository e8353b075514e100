/* Measures with libzmq alone what zbench measures: "lat SIZE TRIPS" prints the median round
   trip from a REQ to a REP over tcp, in nanoseconds; "recv ENDPOINT COUNT" binds a PULL and
   prints the messages per second from the first message to the last. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void check(int ok, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s: %s\n", what, zmq_strerror(zmq_errno()));
    exit(1);
  }
}

static int compare(const void *a, const void *b) {
  long long x = *(const long long *)a, y = *(const long long *)b;
  return (x > y) - (x < y);
}

static void *echo(void *socket) {
  char data[1 << 16];
  for (;;) {
    int n = zmq_recv(socket, data, sizeof data, 0);
    if (n < 0 || zmq_send(socket, data, n, 0) < 0) break;
  }
  zmq_close(socket);
  return NULL;
}

static int lat(int size, int trips) {
  char data[1 << 16], endpoint[256];
  size_t length = sizeof endpoint;
  int none = 0;
  void *context = zmq_ctx_new(), *server = zmq_socket(context, ZMQ_REP), *client = zmq_socket(context, ZMQ_REQ);
  long long *took = calloc(trips, sizeof *took);
  pthread_t thread;
  memset(data, 'x', sizeof data);
  check(zmq_bind(server, "tcp://127.0.0.1:*") == 0, "bind");
  check(zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, endpoint, &length) == 0, "endpoint");
  pthread_create(&thread, NULL, echo, server);
  zmq_setsockopt(client, ZMQ_LINGER, &none, sizeof none);
  check(zmq_connect(client, endpoint) == 0, "connect");
  for (int i = -trips / 5; i < trips; i++) { /* the first fifth is the warm-up */
    long long begin = now();
    check(zmq_send(client, data, size, 0) == size, "send");
    check(zmq_recv(client, data, sizeof data, 0) == size, "recv");
    if (i >= 0) took[i] = now() - begin;
  }
  qsort(took, trips, sizeof *took, compare);
  printf("%lld\n", took[trips / 2]);
  zmq_close(client);
  zmq_ctx_shutdown(context);
  pthread_join(thread, NULL);
  zmq_ctx_term(context);
  free(took);
  return 0;
}

static int receive(const char *endpoint, long count) {
  char data[1 << 16];
  long long begin = 0;
  void *context = zmq_ctx_new(), *s = zmq_socket(context, ZMQ_PULL);
  check(zmq_bind(s, endpoint) == 0, "bind");
  for (long i = 0; i < count; i++) {
    check(zmq_recv(s, data, sizeof data, 0) >= 0, "recv");
    if (i == 0) begin = now();
  }
  printf("%.0f\n", (count - 1) * 1e9 / (now() - begin));
  zmq_close(s);
  zmq_ctx_term(context);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "lat") == 0) return lat(atoi(argv[2]), atoi(argv[3]));
  if (argc == 4 && strcmp(argv[1], "recv") == 0) return receive(argv[2], atol(argv[3]));
  fprintf(stderr, "usage: independent lat SIZE TRIPS | recv ENDPOINT COUNT\n");
  return 2;
}
