#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#ifdef __linux__
#include <sched.h>
#endif

#include "floor.h"

int cf_pinned(const cf_cpus *cpus) {
  for (int i = 0; i < CF_CPU_WORDS; i++)
    if (cpus->bits[i]) return 1;
  return 0;
}

#ifdef __linux__
static int has(const cf_cpus *cpus, int cpu) { return cpus->bits[cpu / 64] >> (cpu % 64) & 1; }

int cf_affinity(cf_cpus *cpus) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) < 0) return -errno;
  memset(cpus, 0, sizeof *cpus);
  for (int i = 0; i < CF_CPUS && i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &set)) cpus->bits[i / 64] |= (uint64_t)1 << (i % 64);
  return 0;
}

int cf_pin(const cf_cpus *cpus, cf_cpus *before) {
  cpu_set_t set;
  int rc = before ? cf_affinity(before) : 0;
  if (rc < 0) return rc;
  CPU_ZERO(&set);
  for (int i = 0; i < CF_CPUS && i < CPU_SETSIZE; i++)
    if (has(cpus, i)) CPU_SET(i, &set);
  return sched_setaffinity(0, sizeof set, &set) < 0 ? -errno : 0;
}
#else
int cf_affinity(cf_cpus *cpus) {
  (void)cpus;
  return -ENOSYS;
}

int cf_pin(const cf_cpus *cpus, cf_cpus *before) {
  (void)cpus;
  (void)before;
  return -ENOSYS;
}
#endif
