/* The other side of the tests in interop: one role of a messaging pattern, in C on
 * libzmq itself. It takes the arguments of peer.py, and says the same; keep the two
 * equal. Whatever is wrong ends it with a line on standard error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { MESSAGES = 300, MANY = 5000, LARGE = 32 << 20, MAX_PARTS = 9, TIMEOUT_MS = 240000, HEARTBEATS = 40 };

static const int shapes[][MAX_PARTS + 1] = {
    /* the number of parts, and their sizes */
    {1, 0},
    {1, 1},
    {2, 0, 0},
    {2, 32, 33},
    {3, 5, 0, 1000},
    {4, 0, 255, 256, 0},
    {3, 8191, 8192, 8193},
    {9, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    {2, 70000, 0},
};
static const struct text {
  const char *at;
  size_t len;
} topics[] = {{"alpha", 5}, {"beta one", 8}, {"beta two,three", 14}, {"\0nul", 4}, {"", 0}, {"\xff\xfe" "binary", 8}},
  subscriptions[] = {{"\0", 1}, {"beta", 4}}; /* the sync comes with the last */
static const char sync_topic[] = "beta sync", end_topic[] = "beta end";

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fprintf(stderr, " (%s)\n", zmq_strerror(zmq_errno()));
  exit(1);
}

static void say(const char *word, const char *more) {
  printf(*more ? "%s %s\n" : "%s\n", word, more);
  fflush(stdout);
}

static void wait_for_line(void) {
  int c;
  while ((c = getchar()) != EOF && c != '\n') continue;
}

/* Byte k of a part: every value, in a period that no buffer size is a multiple of. */
static unsigned char content(size_t k, int seed) { return (unsigned char)((seed + k % 251) % 251); }

static void send_bytes(void *s, const void *at, size_t len, int more) {
  if (zmq_send(s, at, len, more ? ZMQ_SNDMORE : 0) < 0) fail("sending %zu bytes", len);
}

static void send_part(void *s, size_t size, int seed, int more) {
  zmq_msg_t m;
  if (zmq_msg_init_size(&m, size) < 0) fail("allocating %zu bytes", size);
  unsigned char *p = zmq_msg_data(&m);
  for (size_t k = 0; k < size; k++) p[k] = content(k, seed);
  if (zmq_msg_send(&m, s, more ? ZMQ_SNDMORE : 0) < 0) fail("sending a part of %zu bytes", size);
}

static const int *shape(int i) {
  static const int large[] = {1, 1 << 20};
  return i % 100 == 99 ? large : shapes[i % COUNT(shapes)];
}

static void send_message(void *s, int i) {
  const int *sizes = shape(i);
  for (int k = 1; k <= sizes[0]; k++) send_part(s, (size_t)sizes[k], i + k - 1, k < sizes[0]);
}

/* Receives one part, into a message of the caller's that is closed by it. */
static int recv_part(void *s, zmq_msg_t *m) {
  zmq_msg_init(m);
  if (zmq_msg_recv(m, s, 0) < 0) fail("receiving");
  return zmq_msg_more(m);
}

static void expect_part(void *s, size_t size, int seed, int more) {
  zmq_msg_t m;
  int got_more = recv_part(s, &m);
  if (zmq_msg_size(&m) != size) fail("a part of %zu bytes, wanted %zu, seed %d", zmq_msg_size(&m), size, seed);
  if (got_more != more) fail("more is %d after %zu bytes, wanted %d, seed %d", got_more, size, more, seed);
  const unsigned char *p = zmq_msg_data(&m);
  for (size_t k = 0; k < size; k++)
    if (p[k] != content(k, seed)) fail("byte %zu of a part of %zu is %d, wanted %d", k, size, p[k], content(k, seed));
  zmq_msg_close(&m);
}

static void expect_message(void *s, int i) {
  const int *sizes = shape(i);
  for (int k = 1; k <= sizes[0]; k++) expect_part(s, (size_t)sizes[k], i + k - 1, k < sizes[0]);
}

static void expect_bytes(void *s, const void *at, size_t len, int more) {
  zmq_msg_t m;
  int got_more = recv_part(s, &m);
  if (zmq_msg_size(&m) != len || memcmp(zmq_msg_data(&m), at, len) != 0 || got_more != more)
    fail("a part of %zu bytes, wanted %zu, or other content, or more is %d", zmq_msg_size(&m), len, got_more);
  zmq_msg_close(&m);
}

static void req(void *s) {
  for (int i = 0; i < MESSAGES; i++) {
    send_message(s, i);
    expect_message(s, i + 1);
  }
}

static void rep(void *s) {
  for (int i = 0; i < MESSAGES; i++) {
    expect_message(s, i);
    send_message(s, i + 1);
  }
}

static void echo(void *s) {
  for (int i = 0; i < MESSAGES; i++) {
    /* One part more: for the number of a numbered request. */
    zmq_msg_t parts[MAX_PARTS + 1];
    int n = 0;
    while (recv_part(s, &parts[n++]))
      if (n == COUNT(parts)) fail("a request of more than %d parts", n);
    for (int k = 0; k < n; k++)
      if (zmq_msg_send(&parts[k], s, ZMQ_SNDMORE) < 0) fail("echoing");
    send_bytes(s, "from the peer", 13, 0);
  }
}

static void dealer(void *s) {
  enum { BURST = 50 };
  for (int start = 0; start < MESSAGES; start += BURST) {
    for (int i = start; i < start + BURST; i++) send_message(s, i);
    for (int i = start; i < start + BURST; i++) expect_message(s, i + 1);
  }
}

static void router(void *s) {
  for (int i = 0; i < MESSAGES; i++) {
    expect_bytes(s, "go\0\xff", 4, 1);
    expect_message(s, i);
    send_bytes(s, "go\0\xff", 4, 1);
    send_message(s, i + 1);
  }
}

static void push(void *s) {
  for (int i = 0; i < MESSAGES; i++) send_message(s, i);
}

static void pull(void *s) {
  for (int i = 0; i < MESSAGES; i++) expect_message(s, i);
}

static void big(void *s) {
  for (int k = 0; k < MANY; k++) expect_part(s, (size_t)(k % 300), k, k < MANY - 1);
  for (int k = 0; k < MANY; k++) send_part(s, (size_t)(k % 300), k + 1, k < MANY - 1);
  expect_part(s, LARGE, 7, 0);
  send_part(s, LARGE, 8, 0);
}

static void publish(void *s) {
  for (int i = 0; i < MESSAGES; i++) {
    const struct text *t = &topics[i % COUNT(topics)];
    send_bytes(s, t->at, t->len, 1);
    send_message(s, i);
  }
  send_bytes(s, end_topic, strlen(end_topic), 0);
}

static void pub(void *s) {
  zmq_pollitem_t item = {NULL, 0, ZMQ_POLLIN, 0};
  for (;;) {
    int n = zmq_poll(&item, 1, 1);
    if (n < 0 && zmq_errno() != EINTR) fail("polling");
    if (n > 0) break;
    send_bytes(s, sync_topic, strlen(sync_topic), 0);
  }
  publish(s);
}

/* The subscriptions, or their ends, in either order. */
static void expect_subscriptions(void *s, char word) {
  int seen = 0;
  for (int n = 0; n < COUNT(subscriptions); n++) {
    zmq_msg_t m;
    recv_part(s, &m);
    const char *p = zmq_msg_data(&m);
    for (int k = 0; k < COUNT(subscriptions); k++)
      if (zmq_msg_size(&m) == subscriptions[k].len + 1 && p[0] == word &&
          memcmp(p + 1, subscriptions[k].at, subscriptions[k].len) == 0)
        seen |= 1 << k;
    zmq_msg_close(&m);
  }
  if (seen != (1 << COUNT(subscriptions)) - 1) fail("subscriptions %d", seen);
}

static void xpub(void *s) {
  expect_subscriptions(s, 1);
  publish(s);
  expect_subscriptions(s, 0);
}

static int subscribed_to(const struct text *topic) {
  for (int k = 0; k < COUNT(subscriptions); k++)
    if (topic->len >= subscriptions[k].len && memcmp(topic->at, subscriptions[k].at, subscriptions[k].len) == 0) return 1;
  return 0;
}

static int is(zmq_msg_t *m, const char *text) {
  return zmq_msg_size(m) == strlen(text) && memcmp(zmq_msg_data(m), text, strlen(text)) == 0;
}

/* Receives what is published under the subscriptions, and nothing else; the first part
 * is the caller's. */
static void expect_publications(void *s, zmq_msg_t *m) {
  for (int i = 0; i < MESSAGES; i++) {
    const struct text *t = &topics[i % COUNT(topics)];
    if (!subscribed_to(t)) continue;
    if (zmq_msg_size(m) != t->len || memcmp(zmq_msg_data(m), t->at, t->len) != 0) fail("the topic of publication %d", i);
    zmq_msg_close(m);
    expect_message(s, i);
    recv_part(s, m);
  }
  if (!is(m, end_topic)) fail("the last publication");
  zmq_msg_close(m);
}

static void sub(void *s) {
  for (int k = 0; k < COUNT(subscriptions); k++)
    if (zmq_setsockopt(s, ZMQ_SUBSCRIBE, subscriptions[k].at, subscriptions[k].len) < 0) fail("subscribing");
  zmq_msg_t m;
  recv_part(s, &m);
  if (is(&m, sync_topic)) say("subscribed", "");
  while (is(&m, sync_topic)) {
    zmq_msg_close(&m);
    recv_part(s, &m);
  }
  expect_publications(s, &m);
  for (int k = 0; k < COUNT(subscriptions); k++)
    if (zmq_setsockopt(s, ZMQ_UNSUBSCRIBE, subscriptions[k].at, subscriptions[k].len) < 0) fail("unsubscribing");
  say("unsubscribed", "");
  wait_for_line(); /* the connection stays until the test has seen all */
}

static void xsub_send(void *s, char word) {
  for (int k = 0; k < COUNT(subscriptions); k++) {
    char frame[16] = {word};
    memcpy(frame + 1, subscriptions[k].at, subscriptions[k].len);
    send_bytes(s, frame, subscriptions[k].len + 1, 0);
  }
}

static void xsub(void *s) {
  xsub_send(s, 1);
  zmq_msg_t m;
  recv_part(s, &m);
  expect_publications(s, &m);
  xsub_send(s, 0);
  say("unsubscribed", "");
  wait_for_line();
}

/* What runs, on which type of socket. */
static const struct role {
  const char *name;
  void (*run)(void *);
  int type;
} roles[] = {
    {"req", req, ZMQ_REQ},    {"rep", rep, ZMQ_REP},          {"echo", echo, ZMQ_REP},  {"dealer", dealer, ZMQ_DEALER},
    {"pub", pub, ZMQ_PUB},    {"router", router, ZMQ_ROUTER}, {"xpub", xpub, ZMQ_XPUB}, {"sub", sub, ZMQ_SUB},
    {"xsub", xsub, ZMQ_XSUB}, {"push", push, ZMQ_PUSH},       {"pull", pull, ZMQ_PULL}, {"pair", rep, ZMQ_PAIR},
    {"big", big, ZMQ_PAIR},
};

static void set(void *s, int option, int value) {
  if (zmq_setsockopt(s, option, &value, sizeof value) < 0) fail("option %d", option);
}

static void set_text(void *s, int option, const char *text) {
  if (zmq_setsockopt(s, option, text, strlen(text)) < 0) fail("option %d", option);
}

/* The authenticator of a server: who it lets in. */
static struct {
  void *socket;
  const char *user, *password; /* by PLAIN */
  unsigned char key[32];       /* by CURVE, otherwise */
} door;

static int part_is(const zmq_msg_t *m, const void *at, size_t len) {
  return zmq_msg_size(m) == len && memcmp(zmq_msg_data((zmq_msg_t *)m), at, len) == 0;
}

/* Answers ZAP's requests until the context ends. */
static void answer_at_the_door(void *unused) {
  (void)unused;
  /* version, request, domain, address, routing id, mechanism, and the credentials */
  enum { VERSION, REQUEST, MECHANISM = 5, FIRST, SECOND, MOST };
  for (;;) {
    zmq_msg_t parts[MOST];
    int n = 0, more = 1, good = 0;
    while (more && n < MOST) {
      zmq_msg_init(&parts[n]);
      if (zmq_msg_recv(&parts[n], door.socket, 0) < 0) {
        if (zmq_errno() == EINTR) continue;
        zmq_close(door.socket);
        return;
      }
      more = zmq_msg_more(&parts[n++]);
    }
    if (door.user)
      good = n == SECOND + 1 && is(&parts[MECHANISM], "PLAIN") && is(&parts[FIRST], door.user) && is(&parts[SECOND], door.password);
    else
      good = n == FIRST + 1 && is(&parts[MECHANISM], "CURVE") && part_is(&parts[FIRST], door.key, sizeof door.key);
    zmq_msg_send(&parts[VERSION], door.socket, ZMQ_SNDMORE);
    zmq_msg_send(&parts[REQUEST], door.socket, ZMQ_SNDMORE);
    send_bytes(door.socket, good ? "200" : "400", 3, 1);
    send_bytes(door.socket, "", 0, 1);
    send_bytes(door.socket, "ada", 3, 1);
    send_bytes(door.socket, "", 0, 0);
    for (int k = 0; k < n; k++) zmq_msg_close(&parts[k]);
  }
}

/* Sets what a mechanism takes, and starts the authenticator of a server. */
static void *secure(void *context, void *s, int server, int argc, char **argv) {
  const char *mechanism = argv[0];
  if (strcmp(mechanism, "null") == 0 && argc == 1) return NULL;
  if (strcmp(mechanism, "plain") == 0 && argc == 3) {
    if (server) {
      set(s, ZMQ_PLAIN_SERVER, 1);
      door.user = argv[1];
      door.password = argv[2];
    } else {
      set_text(s, ZMQ_PLAIN_USERNAME, argv[1]);
      set_text(s, ZMQ_PLAIN_PASSWORD, argv[2]);
    }
  } else if (strcmp(mechanism, "curve") == 0 && server && argc == 3) {
    set(s, ZMQ_CURVE_SERVER, 1);
    set_text(s, ZMQ_CURVE_SECRETKEY, argv[1]);
    if (!zmq_z85_decode(door.key, argv[2])) fail("the client's key");
  } else if (strcmp(mechanism, "curve") == 0 && !server && argc == 4) {
    set_text(s, ZMQ_CURVE_SERVERKEY, argv[1]);
    set_text(s, ZMQ_CURVE_PUBLICKEY, argv[2]);
    set_text(s, ZMQ_CURVE_SECRETKEY, argv[3]);
  } else {
    fail("mechanism %s with %d arguments", mechanism, argc - 1);
  }
  if (!server) return NULL;
  set_text(s, ZMQ_ZAP_DOMAIN, "interop");
  door.socket = zmq_socket(context, ZMQ_REP);
  if (!door.socket || zmq_bind(door.socket, "inproc://zeromq.zap.01") < 0) fail("the authenticator");
  return zmq_threadstart(answer_at_the_door, NULL);
}

int main(int argc, char **argv) {
  if (argc < 6) fail("usage: peer ROLE bind|connect ENDPOINT HEARTBEAT_MS MECHANISM [CREDENTIAL...]");
  const struct role *role = NULL;
  for (int i = 0; i < COUNT(roles); i++)
    if (strcmp(roles[i].name, argv[1]) == 0) role = &roles[i];
  if (!role) fail("no role %s", argv[1]);
  void *context = zmq_ctx_new(), *s = zmq_socket(context, role->type);
  if (!s) fail("no socket");
  set(s, ZMQ_RCVTIMEO, TIMEOUT_MS);
  set(s, ZMQ_SNDTIMEO, TIMEOUT_MS);
  set(s, ZMQ_LINGER, TIMEOUT_MS);
  set(s, ZMQ_SNDHWM, 0);
  set(s, ZMQ_RCVHWM, 0);
  int heartbeat = atoi(argv[4]), server = strcmp(argv[2], "bind") == 0;
  if (heartbeat) {
    set(s, ZMQ_HEARTBEAT_IVL, heartbeat);
    set(s, ZMQ_HEARTBEAT_TIMEOUT, HEARTBEATS * heartbeat);
  }
  void *authenticator = secure(context, s, server, argc - 5, argv + 5);
  if ((role->type == ZMQ_DEALER || role->type == ZMQ_ROUTER) && zmq_setsockopt(s, ZMQ_ROUTING_ID, "\0py\xff", 4) < 0) fail("routing id");
  if ((server ? zmq_bind : zmq_connect)(s, argv[3]) < 0) fail("%s %s", argv[2], argv[3]);
  char endpoint[512];
  size_t len = sizeof endpoint;
  if (zmq_getsockopt(s, ZMQ_LAST_ENDPOINT, endpoint, &len) < 0) fail("last endpoint");
  say("ready", endpoint);
  role->run(s);
  zmq_close(s);
  zmq_ctx_shutdown(context); /* messages that were sent are still written */
  if (authenticator) zmq_threadclose(authenticator);
  zmq_ctx_term(context);
  int major, minor, patch;
  zmq_version(&major, &minor, &patch);
  char version[64];
  snprintf(version, sizeof version, "%d.%d.%d", major, minor, patch);
  say("done", version);
  return 0;
}
