#include "intercept.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define OPT_TYPE 16
#define TYPE_DGRAM 18

static gz_api real;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The contents in a hash table, by address. */
struct entry {
  gi_content content;
  struct entry *next;
};

enum { LISTS = 4096 };
static struct entry *lists[LISTS];

static struct entry **list_of(const void *data) { return &lists[(uintptr_t)data / 16 % LISTS]; }

/* The address of a message's content, or NULL if the content is in the structure itself. */
static void *content_of(zmq_msg_t *m) {
  uintptr_t data = (uintptr_t)real.msg_data(m), self = (uintptr_t)m;
  return data >= self && data < self + sizeof *m ? NULL : (void *)data;
}

static void hold(void *data, size_t size) {
  if (!data) return;
  pthread_mutex_lock(&lock);
  struct entry *e = *list_of(data);
  while (e && e->content.data != data) e = e->next;
  if (!e) {
    e = malloc(sizeof *e);
    if (!e) abort();
    *e = (struct entry){{data, 0, 0}, *list_of(data)};
    *list_of(data) = e;
  }
  e->content.size = (int64_t)size;
  e->content.holders++;
  pthread_mutex_unlock(&lock);
}

static void hold_message(zmq_msg_t *m) { hold(content_of(m), real.msg_size(m)); }

/* Called before the content is passed on, because it may be freed and its memory reused at once.
 * Contents from before gi_count_messages are unknown. */
static void let_go(const void *data) {
  if (!data) return;
  pthread_mutex_lock(&lock);
  for (struct entry **at = list_of(data); *at; at = &(*at)->next) {
    struct entry *e = *at;
    if (e->content.data != data) continue;
    if (--e->content.holders == 0) {
      *at = e->next;
      free(e);
    }
    break;
  }
  pthread_mutex_unlock(&lock);
}

static int init_size(zmq_msg_t *m, size_t size) {
  int rc = real.msg_init_size(m, size);
  if (rc == 0) hold_message(m);
  return rc;
}

static int init_data(zmq_msg_t *m, void *data, size_t size, zmq_free_fn *give_back, void *hint) {
  int rc = real.msg_init_data(m, data, size, give_back, hint);
  if (rc == 0) hold_message(m);
  return rc;
}

static int copy(zmq_msg_t *to, zmq_msg_t *from) {
  void *old = content_of(to);
  size_t size = real.msg_size(to);
  let_go(old);
  int rc = real.msg_copy(to, from);
  if (rc == 0)
    hold_message(to);
  else
    hold(old, size);
  return rc;
}

static int close_message(zmq_msg_t *m) {
  let_go(content_of(m));
  return real.msg_close(m);
}

/* libzmq does not promise whether a failed receive releases the old content. Here it always does. */
static int recv_message(zmq_msg_t *m, void *s, int flags) {
  let_go(content_of(m));
  int rc = real.msg_recv(m, s, flags);
  if (rc < 0) {
    int err = errno;
    real.msg_close(m);
    real.msg_init(m);
    gi_restore_errno(err);
  } else {
    hold_message(m);
  }
  return rc;
}

/* A DGRAM also closes a message that it fails to send. */
static int keeps(void *s) {
  int type = 0;
  size_t size = sizeof type;
  return real.getsockopt(s, OPT_TYPE, &type, &size) < 0 || type != TYPE_DGRAM;
}

static int send_message(zmq_msg_t *m, void *s, int flags) {
  void *data = content_of(m);
  size_t size = real.msg_size(m);
  let_go(data);
  int rc = real.msg_send(m, s, flags);
  if (rc < 0 && data) {
    int err = errno;
    if (keeps(s)) hold(data, size);
    gi_restore_errno(err);
  }
  return rc;
}

static void forgotten(zmq_msg_t *m) { let_go(content_of(m)); }

void gi_count_messages(gz_api *table) {
  if (real.msg_init) return;
  real = *table;
  table->msg_init_size = init_size;
  table->msg_init_data = init_data;
  table->msg_copy = copy;
  table->msg_close = close_message;
  table->msg_recv = recv_message;
  table->msg_send = send_message;
  table->forgotten = forgotten;
}

int gi_contents(gi_content *list, int room) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < LISTS; i++)
    for (const struct entry *e = lists[i]; e; e = e->next, n++)
      if (n < room) list[n] = e->content;
  pthread_mutex_unlock(&lock);
  return n;
}
