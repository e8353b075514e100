//go:build unix

#define _GNU_SOURCE
#include "api.h"

#ifdef __linux__
#include <sys/auxv.h>
int gz_privileged(void) { return getauxval(AT_SECURE) != 0; }
#else
#include <unistd.h>
int gz_privileged(void) { return issetugid(); }
#endif
