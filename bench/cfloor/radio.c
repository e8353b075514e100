#include <errno.h>
#include <string.h>

#include "base.h"

/* RADIO and DISH. Their messages have a group, which zmq_send cannot set. */

int cf_send_group(cf_party *p, const void *data, size_t n) {
  const gz_api *z = p->b->z;
  zmq_msg_t m;
  int rc;
  if (z->msg_init_size(&m, n) < 0) return -errno;
  memcpy(z->msg_data(&m), data, n);
  if (z->msg_set_group(&m, CF_GROUP) < 0) {
    rc = -errno;
    z->msg_close(&m);
    return rc;
  }
  do rc = z->msg_send(&m, p->s, 0);
  while (rc < 0 && errno == EINTR);
  if (rc >= 0) return rc;
  rc = -errno;
  z->msg_close(&m);
  return rc;
}

/* How long a DISH waits for a greeting, in ms, before the RADIO sends another. */
enum { RCVTIMEO = 27, PATIENCE = 10, GREETINGS = 4096 };

static int patience(cf_party *p, int ms) {
  return p->b->z->setsockopt(p->s, RCVTIMEO, &ms, sizeof ms) < 0 ? -errno : 0;
}

/* Receives a greeting. Returns its length, or 0 if none came. */
static int listen_for(cf_party *p) {
  char got[GREETINGS];
  int rc = cf_recv(p->b, p->s, got, sizeof got, 0);
  return rc == -EAGAIN ? 0 : rc;
}

/* A RADIO does not report its members, so it sends greetings until each member has received
 * one. The length of a greeting is its number. After the last greeting the next message is
 * one of the run. */
int cf_tune_in(cf_bench *b) {
  static const char nothing[GREETINGS];
  int sent = 0, rc = 0;
  for (int i = 0; i < b->c.receivers; i++) {
    cf_party *p = &b->receivers[i];
    if ((rc = patience(p, PATIENCE)) < 0) return rc;
    p->number = 0;
    while (!p->number) {
      if (++sent == GREETINGS) return -ETIMEDOUT; /* 40 s and more */
      if ((rc = cf_send_group(b->senders, nothing, (size_t)sent)) < 0) return rc;
      if ((rc = listen_for(p)) < 0) return rc;
      p->number = rc;
    }
  }
  for (int i = 0; i < b->c.receivers; i++) {
    cf_party *p = &b->receivers[i];
    while (p->number < sent) {
      if ((rc = listen_for(p)) < 0) return rc;
      if (rc > p->number) p->number = rc;
    }
    p->number = i;
    if ((rc = patience(p, -1)) < 0) return rc;
  }
  return 0;
}
