#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ctest.h"

/* The draft API; of a libzmq without it, that everything is refused. */

static void wait_for(void *signal) {
  int fd = (int)WORKS(gz_signal_fd(signal));
  ct_nap(fd, 2);
  gz_signal_clear(signal);
}

static void missing(void) {
  gz_msg m = {0};
  uint8_t group[GZ_GROUP_READ];
  void *signal;
  CHECK(gz_join(NULL, "g") == -ENOTSUP);
  CHECK(gz_leave(NULL, "g") == -ENOTSUP);
  CHECK(gz_connect_peer(NULL, "tcp://127.0.0.1:1") == -ENOTSUP);
  CHECK(!gz_can_disconnect_peer());
  CHECK(gz_disconnect_peer(NULL, 1) == -ENOTSUP);
  CHECK(gz_msg_set_routing_id(&m, 1) == -ENOTSUP);
  CHECK(gz_msg_routing_id(&m) == -ENOTSUP);
  CHECK(gz_msg_set_group(&m, (const uint8_t *)"g", 1) == -ENOTSUP);
  CHECK(gz_msg_group(&m, group) == -ENOTSUP);
  CHECK(rc_of(gz_send_to(NULL, 1, group, 0, 0)) == -ENOTSUP);
  CHECK(rc_of(gz_send_group(NULL, (const uint8_t *)"g", 1, group, 0, 0)) == -ENOTSUP);
  CHECK(gz_peer_state(NULL, (const uint8_t *)"id", 2) == -ENOTSUP);
  CHECK(gz_signal_open(NULL, &signal) == -ENOTSUP && !signal);
}

/* What takes a socket that any libzmq has. */
static void with_stable_types(void *context) {
  ct_socket *router = ct_open(context, ROUTER);
  if (gz.has("draft")) CHECK(gz_peer_state(router->s, (const uint8_t *)"nobody", 6) == -EHOSTUNREACH);
  ct_close(router);
}

/* Two threads send through one CLIENT's peer, a SERVER, which answers each. */
static void *answer(void *arg) {
  ct_socket *server = arg;
  gz_msg m[4] = {{.flags = 0}};
  void *signal;
  WORKS(gz_signal_open(server->s, &signal));
  for (int n = 0; n < 100;) {
    gz_result got = gz_recv_batch(server->s, m, 4, 0, 4, NULL, 4, INT64_MAX, 0);
    if (rc_of(got) == -EAGAIN) {
      wait_for(signal);
      continue;
    }
    for (int i = 0; i < WORKS(rc_of(got)); i++, n++) {
      uint32_t id = (uint32_t)WORKS(gz_msg_routing_id(&m[i]));
      WORKS(rc_of(gz_send_to(server->s, id, bytes_of(&m[i]), m[i].size, 0)));
    }
  }
  gz_msgs_close(m, 4);
  gz_signal_close(signal);
  return NULL;
}

static void server(void *context) {
  pthread_t thread;
  ct_socket *s = ct_open(context, SERVER), *c = ct_open(context, CLIENT);
  gz_msg m = {0};
  void *signal;
  ct_link(s, c, "tcp://127.0.0.1:*", NULL);
  WORKS(gz_signal_open(c->s, &signal));
  CHECK(pthread_create(&thread, NULL, answer, s) == 0);
  for (uint8_t i = 0; i < 100; i++) {
    int rc;
    while ((rc = rc_of(gz_send1(c->s, &i, 1, 0))) == -EAGAIN) wait_for(signal);
    WORKS(rc);
    while ((rc = rc_of(gz_recv(c->s, &m, NULL, 0, 0, 0))) == -EAGAIN) wait_for(signal);
    CHECK(rc == 1 && m.size == 1 && bytes_of(&m)[0] == i);
  }
  pthread_join(thread, NULL);
  gz_msgs_close(&m, 1);
  CHECK(gz_msg_set_routing_id(&m, 0) == -EINVAL);
  WORKS(gz_msg_set_routing_id(&m, 99));
  CHECK(gz_msg_routing_id(&m) == 99);
  CHECK(rc_of(gz_send_msgs(s->s, &m, 1, 0)) == -EHOSTUNREACH);
  gz_msgs_close(&m, 1);
  gz_signal_close(signal);
  ct_close(c);
  ct_close(s);
}

static void peers(void *context) {
  char where[ENDPOINT];
  int64_t n = sizeof where;
  ct_socket *a = ct_open(context, PEER), *b = ct_open(context, PEER);
  WORKS(gz_bind(a->s, "tcp://127.0.0.1:*"));
  WORKS(gz_get_option(a->s, OPT_LAST_ENDPOINT, (uint8_t *)where, &n));
  uint32_t id = (uint32_t)WORKS(gz_connect_peer(b->s, where));
  WORKS(rc_of(gz_send_to(b->s, id, (const uint8_t *)"x", 1, 0)));
  if (gz_can_disconnect_peer()) WORKS(gz_disconnect_peer(b->s, id));
  CHECK(gz_disconnect_peer(b->s, 12345) < 0);
  ct_close(a);
  ct_close(b);
}

static int free_port(int *fd) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t len = sizeof a;
  *fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  CHECK(*fd >= 0 && bind(*fd, (struct sockaddr *)&a, len) == 0 && getsockname(*fd, (struct sockaddr *)&a, &len) == 0);
  return ntohs(a.sin_port);
}

/* Sends to a group until it arrives: subscriptions and datagrams have no answer. */
static void reach(ct_socket *radio, ct_socket *dish, void *signal) {
  gz_msg m = {0}, made = {0};
  uint8_t group[GZ_GROUP_READ];
  int len = 0, rc;
  do {
    rc = rc_of(gz_send_group(radio->s, (const uint8_t *)"group", 5, (const uint8_t *)"to all", 6, 0));
    if (rc != -EAGAIN) WORKS(rc);
    wait_for(signal);
  } while ((rc = rc_of(gz_recv(dish->s, &m, NULL, 0, 0, 0))) == -EAGAIN);
  len = (int)WORKS(gz_msg_group(&m, group));
  CHECK(rc == 1 && len == 5 && memcmp(group, "group", 5) == 0 && m.size == 6);
  WORKS(gz_msg_alloc(&made, 40));
  memset(bytes_of(&made), 1, 40);
  CHECK(gz_msg_set_group(&made, (const uint8_t *)"a group too long", 16) == -EINVAL);
  WORKS(gz_msg_set_group(&made, (const uint8_t *)"group", 5));
  CHECK(gz_msg_group(&made, group) == 5);
  rc = rc_of(gz_send_msgs(radio->s, &made, 1, 0));
  CHECK(rc == 0 || rc == -EAGAIN);
  gz_msgs_close(&made, 1);
  gz_msgs_close(&m, 1);
}

/* Over tcp and over udp, there among datagrams of which libzmq would die. */
static void groups(void *context, int udp) {
  char endpoint[ENDPOINT] = "tcp://127.0.0.1:*";
  void *signal;
  int fd = -1, port = 0;
  ct_socket *radio = ct_open(context, RADIO), *dish = ct_open(context, DISH);
  if (udp) {
    port = free_port(&fd);
    close(fd);
    gz_dish_port(port, 1);
    memcpy(endpoint, "udp://127.0.0.1:", 17);
    for (int at = 16, unit = 10000; unit; unit /= 10) {
      if (port >= unit) endpoint[at++] = (char)('0' + port / unit % 10);
      endpoint[at] = 0;
    }
    WORKS(gz_bind(dish->s, endpoint));
    WORKS(gz_connect(radio->s, endpoint));
    free_port(&fd);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const char *const strays[] = {"\xff", "\x80group", "\x09" "cut off"};
    for (int i = 0; i < 3; i++) WORKS(sendto(fd, strays[i], strlen(strays[i]), 0, (struct sockaddr *)&to, sizeof to));
  } else {
    ct_link(radio, dish, endpoint, NULL);
  }
  WORKS(gz_join(dish->s, "group"));
  CHECK(gz_join(dish->s, "group") == -EINVAL);
  WORKS(gz_signal_open(dish->s, &signal));
  reach(radio, dish, signal);
  WORKS(gz_leave(dish->s, "group"));
  gz_signal_close(signal);
  ct_close(radio);
  ct_close(dish);
  if (udp) {
    gz_dish_port(port, 0);
    close(fd);
  }
}

void ct_drafts(void) {
  void *context;
  gz_dish_port(1, 1);
  gz_dish_port(1, 0);
  for (int i = 0; i < ct_rounds; i++) {
    WORKS(gz_ctx_open(&context));
    with_stable_types(context);
    if (gz.has("draft")) {
      server(context);
      peers(context);
      groups(context, 0);
      groups(context, 1);
    } else {
      missing();
    }
    WORKS(gz_ctx_term(context));
  }
}
