//go:build !zmq_static && (amd64 || arm64)

package libzmq

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuardIsActive(t *testing.T) {
	require.Equal(t, os.Getenv(GuardVariable) != "off", Has("guard"))
}

func TestLoadGuardOff(t *testing.T) {
	library := os.Getenv(LibraryVariable)
	out, err := load(t, library, GuardVariable+"=off")
	require.NoError(t, err, out)
	require.Contains(t, out, "guard false")
	out, err = load(t, library, GuardVariable+"=")
	require.NoError(t, err, out)
	require.Contains(t, out, "guard true")
}

// guardedLibrary is a libzmq that tells by zmq_has whether its accept4 is redirected, and
// whether its imports are in pages that cannot be written.
const guardedLibrary = `
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

const char *zmq_strerror(int n) { return "a text of this library"; }

void other_calls(void) {
  epoll_ctl(-1, 0, -1, 0);
  epoll_wait(-1, 0, 0, 0);
  recvfrom(-1, 0, 0, 0, 0, 0);
}

static int redirected(void) {
  int s = socket(AF_UNIX, SOCK_STREAM, 0);
  struct rlimit before, none;
  getrlimit(RLIMIT_NOFILE, &before);
  none = before;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  int found = accept4(s, 0, 0, 0) < 0 && errno == ENFILE;
  setrlimit(RLIMIT_NOFILE, &before);
  close(s);
  return found;
}

static void *const relocated = &relocated;
static int sealed(void) {
  unsigned long begin, end, at = (unsigned long)&relocated;
  char line[1000], may[5];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %4s", &begin, &end, may) == 3 && at >= begin && at < end) break;
  fclose(maps);
  return may[1] == '-';
}

int zmq_has(const char *name) { return strcmp(name, "sealed") ? redirected() : sealed(); }
`

// The imports may be in pages that the loader makes read-only, as slots of the procedure
// linkage table or of addresses only.
func TestLoadGuardReadOnlyImports(t *testing.T) {
	if linked {
		t.Skip("this build is linked with libzmq and loads none")
	}
	for _, flag := range []string{"-fplt", "-fno-plt"} {
		library := fakeLibrary(t, fakeVersion(4, 3, 5)+guardedLibrary, flag, "-Wl,-z,relro,-z,now")
		for _, guard := range []string{"on", "off"} {
			out, err := load(t, library, "GOZMQ_TEST_LOAD=guard,redirected,sealed", GuardVariable+"="+guard)
			require.NoError(t, err, out)
			active := strconv.FormatBool(guard == "on")
			require.Equal(t, "4 3 5\nguard "+active+"\nredirected "+active+"\nsealed true", out, flag)
		}
	}
}

// A libzmq that lacks one of the imports is left alone.
func TestLoadGuardMissingImport(t *testing.T) {
	if linked {
		t.Skip("this build is linked with libzmq and loads none")
	}
	source := strings.Replace(fakeVersion(4, 3, 5)+guardedLibrary, "epoll_wait(-1, 0, 0, 0);", "", 1)
	out, err := load(t, fakeLibrary(t, source), "GOZMQ_TEST_LOAD=guard,redirected")
	require.NoError(t, err, out)
	require.Equal(t, "4 3 5\nguard false\nredirected false", out)
}
