#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base.h"

/* Records the first failure of a run, and ends the waits of the other threads. */
static void fail(cf_bench *b, int rc) {
  int none = 0;
  if (atomic_compare_exchange_strong(&b->failed, &none, rc)) cf_stop(b);
}

static void open_gate(cf_bench *b) {
  pthread_mutex_lock(&b->mu);
  b->open = 1;
  pthread_cond_broadcast(&b->changed);
  pthread_mutex_unlock(&b->mu);
}

static void wait_at_gate(cf_bench *b) {
  pthread_mutex_lock(&b->mu);
  b->waiting++;
  pthread_cond_broadcast(&b->changed);
  while (!b->open) pthread_cond_wait(&b->changed, &b->mu);
  pthread_mutex_unlock(&b->mu);
}

static int others(const cf_bench *b) { return b->c.senders + b->c.receivers - 1; }

static void start(cf_bench *b) {
  pthread_mutex_lock(&b->mu);
  while (b->waiting < others(b)) pthread_cond_wait(&b->changed, &b->mu);
  pthread_mutex_unlock(&b->mu);
  b->begin_cpu_ns = cf_now(CLOCK_PROCESS_CPUTIME_ID);
  b->begin_ns = cf_now(CLOCK_MONOTONIC);
  open_gate(b);
}

static void stop_clock(cf_bench *b) {
  if (atomic_fetch_sub(&b->busy, 1) != 1) return;
  b->elapsed_ns = cf_now(CLOCK_MONOTONIC) - b->begin_ns;
  b->cpu_ns = cf_now(CLOCK_PROCESS_CPUTIME_ID) - b->begin_cpu_ns;
}

static void *thread(void *arg) {
  cf_party *p = arg;
  cf_bench *b = p->b;
  int pinned = cf_pinned(p->cpus) ? cf_pin(p->cpus, NULL) : 0;
  if (pinned < 0) fail(b, pinned);
  if (p == b->timed)
    start(b);
  else
    wait_at_gate(b);
  if (atomic_load(&b->failed)) return NULL;
  int rc = p->loop(p);
  if (p >= b->timed && p < b->timed + b->timed_count) stop_clock(b);
  if (rc < 0) fail(b, rc);
  return NULL;
}

/* Returns party i of all. The timed ones come last, and their first one at the very end, so
 * that it starts last. */
static cf_party *party(cf_bench *b, int i) {
  int returns = cf_returns(b);
  cf_party *first = returns ? b->receivers : b->senders, *then = returns ? b->senders : b->receivers;
  int n = returns ? b->c.receivers : b->c.senders;
  return i < n ? &first[i] : &then[b->timed_count - 1 - (i - n)];
}

static void share_out(cf_bench *b, int64_t messages) {
  for (int i = 0; i < b->c.senders; i++) b->senders[i].messages = messages / b->c.senders;
  for (int i = 0; i < b->c.receivers; i++) {
    cf_party *p = &b->receivers[i];
    p->messages = cf_publishes(b) ? messages : messages / b->c.receivers;
    if (p->seen) memset(p->seen, 0, (size_t)b->c.senders * sizeof *p->seen);
  }
}

/* Returns the least number of messages that can be divided among all senders and receivers. */
static int among(const cf_bench *b) { return cf_publishes(b) ? 1 : b->c.senders * b->c.receivers; }

int cf_run(cf_bench *b, int64_t messages) {
  sigset_t all, before;
  if (messages % among(b)) return -EINVAL;
  if (b->samples && messages / b->c.senders > b->c.samples) return -EINVAL;
  share_out(b, messages);
  b->waiting = b->open = 0;
  atomic_store(&b->busy, b->timed_count);

  /* The threads block all signals, like libzmq's own threads, because the Go runtime uses
   * them. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = 0, started = 0;
  for (; started <= others(b); started++) {
    cf_party *p = party(b, started);
    rc = pthread_create(&p->thread, NULL, thread, p);
    if (!rc) continue;
    fail(b, -rc);
    open_gate(b);
    break;
  }
  while (started > 0) pthread_join(party(b, --started)->thread, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return rc ? -rc : atomic_load(&b->failed);
}

int cf_conclude(cf_bench *b) {
  int64_t share = b->senders[0].messages;
  for (int i = 0; i < b->c.senders; i++) {
    b->senders[i].tag |= CF_END;
    b->senders[i].samples = NULL;
  }
  for (int i = 0; i < b->c.receivers; i++) {
    b->receivers[i].tag |= CF_END;
    b->receivers[i].number += CF_END;
  }
  int rc = cf_run(b, among(b));
  for (int i = 0; i < b->c.senders; i++) {
    b->senders[i].tag &= ~(uint64_t)CF_END;
    if (b->samples) b->senders[i].samples = b->samples + i * b->c.samples;
  }
  for (int i = 0; i < b->c.receivers; i++) {
    b->receivers[i].tag &= ~(uint64_t)CF_END;
    b->receivers[i].number -= CF_END;
  }
  share_out(b, share * b->c.senders); /* for Latencies */
  return rc;
}
