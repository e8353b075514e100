//go:build !windows && !zmq_link && !zmq_static

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "api.h"

gz_api gz;

static const char *const usual_names[] = {
#ifdef __APPLE__
    "libzmq.5.dylib",
    "/opt/homebrew/lib/libzmq.5.dylib",
    "/usr/local/lib/libzmq.5.dylib",
    "/opt/local/lib/libzmq.5.dylib",
    "libzmq.dylib",
#else
    "libzmq.so.5",
    "libzmq.so",
#endif
};

static void append(char *err, size_t err_len, const char *name, const char *why) {
  size_t used = strlen(err);
  if (used < err_len)
    snprintf(err + used, err_len - used, "%s%s: %s", used ? "; " : "", name, why);
}

/* Resolves every function, or reports which one is missing. The table is filled only if
 * all required functions are found. */
static int resolve(void *lib, const char *name, char *err, size_t err_len) {
  gz_api table;
  memset(&table, 0, sizeof table);
#define GZ_RESOLVE(required, ret, fn, params)                                  \
  *(void **)&table.fn = dlsym(lib, "zmq_" #fn);                                \
  if (required && !table.fn) {                                                 \
    append(err, err_len, name, "has no zmq_" #fn);                             \
    return -1;                                                                 \
  }
  GZ_FUNCTIONS(GZ_RESOLVE)
#undef GZ_RESOLVE
  gz = table;
  return 0;
}

static int open_one(const char *name, char *where, size_t where_len, char *err, size_t err_len) {
  void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!lib) {
    const char *why = dlerror();
    append(err, err_len, name, why ? why : "cannot be opened");
    return -1;
  }
  if (resolve(lib, name, err, err_len) < 0) {
    dlclose(lib);
    return -1;
  }
  snprintf(where, where_len, "%s", name);
  return 0;
}

int gz_load(const char *path, char *where, size_t where_len, char *err, size_t err_len) {
  err[0] = '\0';
  if (path) return open_one(path, where, where_len, err, err_len);
  for (size_t i = 0; i < sizeof usual_names / sizeof *usual_names; i++)
    if (open_one(usual_names[i], where, where_len, err, err_len) == 0) return 0;
  return -1;
}
