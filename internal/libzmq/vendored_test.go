//go:build unix

package libzmq

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vendoredProgram prints which libzmq it has, and what NewContext says.
const vendoredProgram = `package main

import (
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
%s)

func main() {
	_, err := zmq.NewContext()
	fmt.Println(zmq.Version())
	fmt.Println(zmq.Library())
	fmt.Println(err)
}
`

// vendoredPackage is what cmd/zvendor generates, with functions that do nothing but tell a
// version.
const vendoredPackage = `
#include <errno.h>
#include <stddef.h>
#include <string.h>

static void version(int *major, int *minor, int *patch) { *major = 4; *minor = 9; *patch = %[2]d; }

static void *nothing(void) { errno = ENOSPC; return NULL; }

static void *function(const char *name) {
  if (strcmp(name, "%[3]s") == 0) return NULL;
  return strcmp(name, "zmq_version") == 0 ? (void *)version : (void *)nothing;
}

static void *import(const char *name) { return NULL; }

struct gozmq_vendored {
  int layout;
  struct gozmq_vendored *next;
  const char *package;
  void *(*function)(const char *);
  void *(*import)(const char *);
};

static struct gozmq_vendored self = {%[4]d, NULL, "%[1]s", function, import};
__attribute__((common)) struct gozmq_vendored *gozmq_vendored_list;
__attribute__((constructor)) static void add(void) {
  self.next = gozmq_vendored_list;
  gozmq_vendored_list = &self;
}
`

// A fakeEngine is a vendored libzmq that vendoredProgram imports.
type fakeEngine struct {
	pkg     string
	patch   int    // of the version
	missing string // a function that it lacks
	layout  int
}

// runVendored runs vendoredProgram as example.com/program with these packages, and returns
// the lines that it prints.
func runVendored(t *testing.T, environment string, engines ...fakeEngine) []string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name, content string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	mod := "module example.com/program\n\ngo 1.25.0\n\nrequire github.com/go-zmq/go-zmq v0.0.0\n\nreplace github.com/go-zmq/go-zmq => " + root + "\n"
	imports := ""
	for _, e := range engines {
		imports += fmt.Sprintf("\t_ %q\n", e.pkg)
		below, inMain := strings.CutPrefix(e.pkg, "example.com/program/")
		if !inMain {
			module, _, _ := strings.Cut(strings.TrimPrefix(e.pkg, "example.com/"), "/")
			below = module + strings.TrimPrefix(e.pkg, "example.com/"+module)
			file(module+"/go.mod", "module example.com/"+module+"\n")
			mod += fmt.Sprintf("\nrequire example.com/%[1]s v0.0.0\n\nreplace example.com/%[1]s => ./%[1]s\n", module)
		}
		file(below+"/engine.go", "package engine\n\nimport \"C\"\n")
		file(below+"/engine.c", fmt.Sprintf(vendoredPackage, e.pkg, e.patch, e.missing, max(e.layout, 1)))
	}
	file("go.mod", mod)
	file("main.go", fmt.Sprintf(vendoredProgram, imports))
	build := exec.Command("go", "build", "-o", "program", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	program := exec.Command(filepath.Join(dir, "program"))
	program.Env = append(os.Environ(), LibraryVariable+"="+environment)
	out, err = program.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func TestVendored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, environment string
		engines           []fakeEngine
		want              []string // what the lines contain
	}{
		{
			"a blank import selects it", "",
			[]fakeEngine{{pkg: "example.com/program/internal/engine", patch: 1}},
			[]string{"4 9 1", "example.com/program/internal/engine, compiled in", "no space left"},
		},
		{
			"the one of the main module comes first", "",
			[]fakeEngine{{pkg: "example.com/a/engine", patch: 1}, {pkg: "example.com/program/internal/engine", patch: 2}},
			[]string{"4 9 2", "example.com/program/internal/engine, compiled in", "no space left"},
		},
		{
			"of others, the first by name", "",
			[]fakeEngine{{pkg: "example.com/b/engine", patch: 1}, {pkg: "example.com/a/engine", patch: 2}},
			[]string{"4 9 2", "example.com/a/engine, compiled in", "no space left"},
		},
		{
			"no other is loaded", "/no/such/libzmq.so",
			[]fakeEngine{{pkg: "example.com/program/internal/engine"}},
			[]string{"0 0 0", "", "GOZMQ_LIBRARY=/no/such/libzmq.so: this program contains libzmq, by package example.com/program/internal/engine, and loads no other"},
		},
		{
			"a function is missing", "",
			[]fakeEngine{{pkg: "example.com/program/internal/engine", missing: "zmq_ctx_new"}},
			[]string{"0 0 0", "", "has no zmq_ctx_new; generate the package again: zvendor --update"},
		},
		{
			"another layout", "",
			[]fakeEngine{{pkg: "example.com/program/internal/engine", layout: 99}},
			[]string{"0 0 0", "", "was generated for another version of go-zmq"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			lines := runVendored(t, c.environment, c.engines...)
			require.Len(t, lines, len(c.want))
			for i, want := range c.want {
				require.Contains(t, lines[i], want)
			}
		})
	}
}
