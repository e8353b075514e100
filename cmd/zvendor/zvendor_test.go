package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pack returns a .tar.gz of the files, below a folder.
func pack(t *testing.T, folder string, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed := gzip.NewWriter(&packed)
	archive := tar.NewWriter(compressed)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		require.NoError(t, archive.WriteHeader(&tar.Header{Name: folder + "/" + name, Mode: 0o600, Size: int64(len(content))}))
		_, err := archive.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, archive.Close())
	require.NoError(t, compressed.Close())
	return packed.Bytes()
}

// smallLibzmq is a libzmq of one function, with the files that zvendor asks for. It compiles.
func smallLibzmq() map[string]string {
	return map[string]string{
		"LICENSE": "the license\n",
		"include/zmq.h": "#ifndef ZMQ_H\n#define ZMQ_H\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n" +
			"int zmq_bind (void *s_, const char *addr_);\n#ifdef ZMQ_BUILD_DRAFT_API\n#if 1\n#endif\nint zmq_join (void *s, const char *group);\n#endif\n" +
			"#ifdef __cplusplus\n}\n#endif\n#endif\n",
		"src/zmq.cpp":              "#include \"options.hpp\"\n#include <string>\nint zmq_bind (void *, const char *) { return zmq::size; }\nint zmq_join (void *, const char *) { return 0; }\n",
		"src/options.hpp":          "#pragma once\n#include \"../include/zmq.h\"\n#ifdef ZMQ_BUILD_DRAFT_API\n#else\nextern \"C\" int zmq_join (void *, const char *);\n#endif\nnamespace zmq { extern int size; struct options_t { options_t (); int in_batch_size, out_batch_size; }; }\n",
		"src/options.cpp":          "#include \"options.hpp\"\nnamespace zmq { int size;\noptions_t::options_t () :\n    in_batch_size (8192),\n    out_batch_size (8192)\n{}\n}\n",
		"src/tipc_listener.cpp":    "#error this transport is off\n",
		"src/tweetnacl.c":          "#include \"tweetnacl.h\"\nint crypto_box (void) { return 0; }\n",
		"src/tweetnacl.h":          "int crypto_box (void);\n",
		"external/wepoll/wepoll.c": "#error compiled for Windows only\n",
	}
}

// known makes an archive one that zvendor knows, and returns its path.
func known(t *testing.T, name string, data []byte) string {
	t.Helper()
	before := archives
	t.Cleanup(func() { archives = before })
	archives = append(slices.Clone(before), archive{Name: name, Library: "libzmq", Version: "4.3.4", SHA256: checksum(data)})
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// module returns a folder with a go.mod. Tests run in it.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/user\n\ngo 1.25.0\n"), 0o600))
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	return dir
}

// zvendor runs the command and returns what it printed.
func zvendor(args ...string) (string, error) {
	var log strings.Builder
	err := run(args, &log)
	return log.String(), err
}

// content returns the files of a folder.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(text)
	}
	return files
}

func TestWriteCompilesAndChecks(t *testing.T) {
	source := known(t, "small.tar.gz", pack(t, "zeromq-4.3.4", smallLibzmq()))
	dir := module(t)
	said, err := zvendor("--source", source, "./internal/libzmq")
	require.NoError(t, err)
	require.Contains(t, said, "compiling libzmq 4.3.4 with ")
	require.Contains(t, said, `select it with: import _ "example.com/user/internal/libzmq"`)
	said, err = zvendor("--check", "internal/libzmq")
	require.NoError(t, err)
	require.Contains(t, said, "internal/libzmq matches: libzmq 4.3.4 from small.tar.gz")
	entries, err := os.ReadDir(filepath.Join(dir, "internal"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing else is left")

	files := content(t, filepath.Join(dir, "internal/libzmq"))
	require.Contains(t, files["zmq.cpp.h"], `#include "options.hpp"`)
	require.Contains(t, files["options.hpp"], `#include "zmq.h"`)
	require.NotContains(t, files["libzmq.cpp"], "tipc")
	require.NotContains(t, files["zvendor_register.c"], `"zmq_join"`, "a function of the draft API")
	require.Equal(t, "the license\n", files["LICENSE"])
}

func TestOptions(t *testing.T) {
	source := known(t, "small.tar.gz", pack(t, "zeromq-4.3.4", smallLibzmq()))
	dir := module(t)
	for _, c := range []struct {
		flags           []string
		file, has, lack string
	}{
		{nil, "options.cpp.h", "in_batch_size (8192)", "131072"},
		{[]string{"--tuned"}, "options.cpp.h", "in_batch_size (131072),\n    out_batch_size (131072)", "8192"},
		{[]string{"--draft"}, "zvendor_register.c", `"zmq_join"`, ""},
		{[]string{"--draft"}, "libzmq.go", "-DZMQ_BUILD_DRAFT_API", ""},
		{nil, "platform.hpp", "ZMQ_USE_TWEETNACL", "ZMQ_USE_LIBSODIUM"},
		{[]string{"--curve=system"}, "platform.hpp", "ZMQ_USE_LIBSODIUM", "ZMQ_USE_TWEETNACL"},
		{[]string{"--curve=system"}, "libzmq.go", "#cgo LDFLAGS: -lsodium", ""},
		{[]string{"--curve=off"}, "platform.hpp", "ZMQ_HAVE_IPC", "CURVE"},
	} {
		require.NoError(t, os.RemoveAll("libzmq"))
		_, err := zvendor(append(c.flags, "--no-build", "--source", source, "libzmq")...)
		require.NoError(t, err)
		text := content(t, filepath.Join(dir, "libzmq"))[c.file]
		require.Contains(t, text, c.has, c.flags)
		if c.lack != "" {
			require.NotContains(t, text, c.lack, c.flags)
		}
	}
}

// The order and the times of the archive do not matter, nor does the folder's place on the disk.
func TestOutputIsReproducible(t *testing.T) {
	source := known(t, "small.tar.gz", pack(t, "zeromq-4.3.4", smallLibzmq()))
	var outputs []map[string]string
	for range 3 {
		dir := module(t)
		_, err := zvendor("--no-build", "--draft", "--source", source, "internal/libzmq")
		require.NoError(t, err)
		outputs = append(outputs, content(t, filepath.Join(dir, "internal/libzmq")))
	}
	require.Equal(t, outputs[0], outputs[1])
	require.Equal(t, outputs[0], outputs[2])
}

func TestCheckFindsChanges(t *testing.T) {
	source := known(t, "small.tar.gz", pack(t, "zeromq-4.3.4", smallLibzmq()))
	module(t)
	_, err := zvendor("--no-build", "--source", source, "libzmq")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("libzmq/zmq.h", []byte("changed"), 0o600))
	require.NoError(t, os.WriteFile("libzmq/mine.go", nil, 0o600))
	require.NoError(t, os.Remove("libzmq/LICENSE"))
	_, err = zvendor("--check", "libzmq")
	require.EqualError(t, err, "libzmq does not match: LICENSE is missing, mine.go is additional, zmq.h is changed")
	_, err = zvendor("--update", "--no-build", "--source", source, "libzmq")
	require.ErrorContains(t, err, "has changed since zvendor wrote it, and --update would lose that")
	require.FileExists(t, "libzmq/mine.go")
}

func TestCheckFindsRenamedModule(t *testing.T) {
	source := known(t, "small.tar.gz", pack(t, "zeromq-4.3.4", smallLibzmq()))
	module(t)
	_, err := zvendor("--no-build", "--source", source, "libzmq")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/other\n"), 0o600))
	_, err = zvendor("--check", "libzmq")
	require.ErrorContains(t, err, "it was written as package example.com/user/libzmq, and is example.com/other/libzmq")
	_, err = zvendor("--update", "--no-build", "--source", source, "libzmq")
	require.NoError(t, err)
	_, err = zvendor("--check", "libzmq")
	require.NoError(t, err)
}

func TestUpdateKeepsOptions(t *testing.T) {
	files := smallLibzmq()
	before := known(t, "before.tar.gz", pack(t, "zeromq", files))
	files["LICENSE"] = "another license\n"
	after := known(t, "after.tar.gz", pack(t, "zeromq", files))
	dir := module(t)
	_, err := zvendor("--no-build", "--draft", "--tuned", "--source", before, "libzmq")
	require.NoError(t, err)
	said, err := zvendor("--update", "--tuned=false", "--source", after, "libzmq")
	require.NoError(t, err)
	require.Contains(t, said, "with the draft API")
	require.NotContains(t, said, "128 KiB")
	require.Equal(t, "another license\n", content(t, filepath.Join(dir, "libzmq"))["LICENSE"])
	require.Contains(t, content(t, filepath.Join(dir, "libzmq"))["libzmq.go"], "-DZMQ_BUILD_DRAFT_API")
}

func TestErrorsWriteNothing(t *testing.T) {
	good := pack(t, "zeromq-4.3.4", smallLibzmq())
	source := known(t, "small.tar.gz", good)
	broken := smallLibzmq()
	broken["src/zmq.cpp"] += "#error it does not compile\n"
	sodiumless := smallLibzmq()
	delete(sodiumless, "src/tweetnacl.c")
	for _, c := range []struct {
		name, want string
		args       []string
		prepare    func(t *testing.T)
	}{
		{"wrong checksum", "which no known archive of libzmq has: zvendor knows zeromq-4.3.5.tar.gz", []string{"--source", "forged.tar.gz"}, func(t *testing.T) {
			require.NoError(t, os.WriteFile("forged.tar.gz", append(slices.Clone(good), 0), 0o600))
		}},
		{"unknown version", "there is no libzmq 4.9.9 here: zvendor knows 4.3.5, 4.3.4", []string{"--version", "4.9.9"}, nil},
		{"another version than the file's", "is libzmq 4.3.4, not 4.3.5", []string{"--version", "4.3.5", "--source", source}, nil},
		{"no such file", "no such file", []string{"--source", "nothing.tar.gz"}, nil},
		{"unknown code for CURVE", "--curve=rot13: it is builtin, system or off", []string{"--curve=rot13", "--source", source}, nil},
		{"no compiler", "there is no compiler no-such-compiler", []string{"--source", source}, func(t *testing.T) { t.Setenv("CXX", "no-such-compiler -O2") }},
		{"cgo is off", "cgo is off: set CGO_ENABLED=1", []string{"--source", source}, func(t *testing.T) { t.Setenv("CGO_ENABLED", "0") }},
		{"it does not compile", "it does not compile", []string{"--source", known(t, "broken.tar.gz", pack(t, "zeromq-4.3.4", broken))}, nil},
		{"libsodium is needed", "give an archive of libsodium with --sodium-source, or --curve=system or --curve=off", []string{"--source", known(t, "sodiumless.tar.gz", pack(t, "z", sodiumless))}, nil},
		{"no module", "is not inside a Go module: run go mod init first", []string{"--source", source}, func(t *testing.T) { require.NoError(t, os.Remove("go.mod")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := module(t)
			if c.prepare != nil {
				c.prepare(t)
			}
			before, err := os.ReadDir(dir)
			require.NoError(t, err)
			_, err = zvendor(append(c.args, "libzmq")...)
			require.ErrorContains(t, err, c.want)
			after, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, after, len(before), "it wrote something")
		})
	}
}

func TestFolderMustBeNew(t *testing.T) {
	source := known(t, "small.tar.gz", pack(t, "zeromq-4.3.4", smallLibzmq()))
	module(t)
	require.NoError(t, os.Mkdir("libzmq", 0o700))
	require.NoError(t, os.WriteFile("libzmq/mine.go", nil, 0o600))
	_, err := zvendor("--source", source, "libzmq")
	require.EqualError(t, err, mustAbs(t, "libzmq")+" is not empty: name a new folder")
	_, err = zvendor("--update", "--source", source, "libzmq")
	require.ErrorContains(t, err, "zvendor did not write it")
	require.NoError(t, os.Remove("libzmq/mine.go"))
	_, err = zvendor("--no-build", "--source", source, "libzmq")
	require.NoError(t, err)
	_, err = zvendor("--source", source, "libzmq")
	require.ErrorContains(t, err, "has been written by zvendor before: use --update")
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(path)
	require.NoError(t, err)
	return absolute
}

func TestDownload(t *testing.T) {
	data := pack(t, "zeromq-4.3.4", smallLibzmq())
	served := data
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/zeromq.tar.gz" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(served)
	}))
	defer server.Close()
	before := archives
	defer func() { archives = before }()
	offer := func(path string) {
		archives = []archive{{Name: "zeromq.tar.gz", Library: "libzmq", Version: "4.3.4", SHA256: checksum(data), url: server.URL + path}}
	}
	module(t)
	offer("/zeromq.tar.gz")
	said, err := zvendor("--no-build", "--version=4.3.4", "libzmq")
	require.NoError(t, err)
	require.Contains(t, said, "downloading "+server.URL)

	served = append(slices.Clone(data), 0)
	_, err = zvendor("--no-build", "--version=4.3.4", "other")
	require.ErrorContains(t, err, "it is not the release")
	offer("/missing")
	_, err = zvendor("--no-build", "--version=4.3.4", "other")
	require.ErrorContains(t, err, "404 Not Found; download zeromq.tar.gz yourself and give it with --source")
	require.NoDirExists(t, "other")
}
