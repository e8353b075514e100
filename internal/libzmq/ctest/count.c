/* Includes no header of the shims: all that matters here is where each function is. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* functions.inc is made when this is built: an X(name) for each function that a header
 * of the shims declares or an object file of theirs defines. The shims are compiled so
 * that each function, inlined or not, reports that it is entered. */
#define X(name) void name(void);
#include "functions.inc"
#undef X

static struct function {
  const char *name;
  void (*address)(void);
  long calls;
} functions[] = {
#define X(name) {#name, name, 0},
#include "functions.inc"
#undef X
};

enum { FUNCTIONS = sizeof functions / sizeof *functions, SLOTS = 1024 };

/* The functions by their addresses. */
static struct function *slots[SLOTS];
static int counting;

static unsigned slot_of(const void *address) { return (unsigned)((uintptr_t)address >> 4) % SLOTS; }

void ct_count_begin(void) {
  for (int i = 0; i < FUNCTIONS; i++) {
    unsigned at = slot_of((void *)functions[i].address);
    while (slots[at]) at = (at + 1) % SLOTS;
    slots[at] = &functions[i];
  }
  __atomic_store_n(&counting, 1, __ATOMIC_RELEASE);
}

/* Called by the compiler's code. Relaxed, so that it orders nothing: threads that meet
 * here only are still seen as racing. */
void __cyg_profile_func_enter(void *function, void *site) {
  (void)site;
  if (!__atomic_load_n(&counting, __ATOMIC_RELAXED)) return;
  for (unsigned at = slot_of(function); slots[at]; at = (at + 1) % SLOTS) {
    if ((void *)slots[at]->address != function) continue;
    __atomic_add_fetch(&slots[at]->calls, 1, __ATOMIC_RELAXED);
    return;
  }
}

void __cyg_profile_func_exit(void *function, void *site) {
  (void)function;
  (void)site;
}

static long calls_of(const struct function *f) { return __atomic_load_n(&f->calls, __ATOMIC_RELAXED); }

/* These take what gz_signal_open gives, which is nothing without the draft API. */
static int needs_signal(const char *name) {
  static const char *const names[] = {"gz_signal_fd", "gz_signal_clear", "gz_signal_close"};
  for (int i = 0; i < 3; i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

/* Says how much was called, and fails if a function was not that could have been. */
int ct_count_end(int drafts) {
  long sum = 0;
  int missing = 0, excused = 0;
  for (int i = 0; i < FUNCTIONS; i++) {
    sum += calls_of(&functions[i]);
    if (calls_of(&functions[i])) continue;
    if (!drafts && needs_signal(functions[i].name)) {
      excused++;
      continue;
    }
    missing++;
    fprintf(stderr, "ctest: %s was not called: drive it in internal/libzmq/ctest\n", functions[i].name);
  }
  printf("ctest: %d of %d functions, %ld shim calls\n", FUNCTIONS - missing - excused, FUNCTIONS, sum);
  return missing ? 1 : 0;
}
