#include <stdio.h>
#include <windows.h>

#include "api.h"

gz_api gz;
int gz_errnos[GZ_ERRNOS];
int (*gz_last_error)(void);

int gz_errno(void) {
  int n = gz_last_error();
  return n > 0 && n < GZ_ERRNOS && gz_errnos[n] ? gz_errnos[n] : n;
}

/* Opens a DLL by its name in the folder of the program or the system's or, if full is set,
 * by its full path. Then it may also need other DLLs from its own folder. Returns 0 or the
 * error number of Windows. */
int gz_open(const uint16_t *path, int full, void **lib) {
  *lib = LoadLibraryExW((const wchar_t *)path, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | (full ? LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR : 0));
  return *lib ? 0 : (int)GetLastError();
}

/* Fills the table if the DLL has all required functions. Otherwise it closes the DLL and
 * returns the name of a function that is missing. */
const char *gz_resolve(void *lib) {
  gz_api table = {0};
  gz_last_error = (void *)GetProcAddress(lib, "zmq_errno");
  if (!gz_last_error) {
    FreeLibrary(lib);
    return "zmq_errno";
  }
#define GZ_RESOLVE(required, ret, fn, params)                                  \
  table.fn = (void *)GetProcAddress(lib, "zmq_" #fn);                          \
  if (required && !table.fn) {                                                 \
    FreeLibrary(lib);                                                          \
    return "zmq_" #fn;                                                         \
  }
  GZ_FUNCTIONS(GZ_RESOLVE)
#undef GZ_RESOLVE
  gz = table;
  return NULL;
}
