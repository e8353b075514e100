//go:build unix

package libzmq

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeLibrary builds a libzmq from the functions in source and stubs of all others.
func fakeLibrary(t *testing.T, source string, flags ...string) string {
	t.Helper()
	api, err := os.ReadFile("api.h")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`X\(1, [^,]+, (\w+), \(`).FindAllStringSubmatch(string(api), -1) {
		if !strings.Contains(source, "zmq_"+m[1]+"(") {
			source += "void *zmq_" + m[1] + "(void) { return 0; }\n"
		}
	}
	dir := t.TempDir()
	c, so := filepath.Join(dir, "fake.c"), filepath.Join(dir, "libfake.so")
	require.NoError(t, os.WriteFile(c, []byte(source), 0o600))
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	out, err := exec.Command(cc, append([]string{"-shared", "-fPIC", "-w", "-o", so, c}, flags...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return so
}

// fakeVersion is a fake library's zmq_version.
func fakeVersion(major, minor, patch int) string {
	return fmt.Sprintf("void zmq_version(int *a, int *b, int *c) { *a = %d; *b = %d; *c = %d; }\n", major, minor, patch)
}

func TestLoadLibrary(t *testing.T) {
	if linked {
		t.Skip("this build is linked with libzmq and loads none")
	}
	t.Run("the usual one", func(t *testing.T) {
		out, err := load(t, "")
		require.NoError(t, err, out)
	})
	t.Run("not there", func(t *testing.T) {
		out, err := load(t, "/no/such/libzmq.so")
		require.Error(t, err)
		require.Contains(t, out, "/no/such/libzmq.so")
		require.Contains(t, out, LibraryVariable)
	})
	t.Run("another library", func(t *testing.T) {
		out, err := load(t, "libm.so.6")
		require.Error(t, err)
		require.Contains(t, out, "has no zmq_version")
	})
	t.Run("a file that is no library", func(t *testing.T) {
		text := filepath.Join(t.TempDir(), "libzmq.so")
		require.NoError(t, os.WriteFile(text, bytes.Repeat([]byte("INPUT(-lzmq)\n"), 100), 0o600))
		out, err := load(t, text)
		require.Error(t, err)
		require.Contains(t, out, text+": it is not a complete shared library")
		require.Contains(t, out, "correct or unset the variable")
	})
	t.Run("no regular file", func(t *testing.T) {
		dir := t.TempDir()
		pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		require.NoError(t, os.Symlink(pipe, link))
		for path, kind := range map[string]string{pipe: "a named pipe", link: "a named pipe", "/dev/zero": "a device", dir: "a directory"} {
			out, err := load(t, path)
			require.Error(t, err)
			require.Contains(t, out, path+": it is "+kind+", not a file")
		}
	})
	t.Run("by a link", func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "libzmq.so")
		require.NoError(t, os.Symlink(fakeLibrary(t, fakeVersion(4, 9, 0)), link))
		out, err := load(t, link)
		require.NoError(t, err, out)
	})
	t.Run("too old", func(t *testing.T) {
		out, err := load(t, fakeLibrary(t, fakeVersion(4, 2, 5)))
		require.Error(t, err)
		require.Contains(t, out, "4.2.5")
		require.Contains(t, out, "too old")
		require.Contains(t, out, "4.3.0")
	})
	t.Run("newer", func(t *testing.T) {
		out, err := load(t, fakeLibrary(t, fakeVersion(4, 9, 0)))
		require.NoError(t, err)
		require.Equal(t, "4 9 0\nguard false", out) // it calls none of the functions that are redirected
	})
}

func TestNotFoundSaysWhatToInstall(t *testing.T) {
	err := notFound(false, "libzmq.so.5: cannot open")
	for _, word := range []string{"libzmq.so.5", "apt-get install libzmq5", "dnf install", "apk add", "brew install", LibraryVariable} {
		require.ErrorContains(t, err, word)
	}
}
