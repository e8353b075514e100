package libzmq

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// dll returns libzmq's DLL, which LibraryVariable names in these tests.
func dll(t *testing.T) string {
	t.Helper()
	path := os.Getenv(LibraryVariable)
	if path == "" {
		t.Skip(LibraryVariable + " names no DLL to copy")
	}
	return path
}

// copied writes a copy of a file, changed, and returns its path.
func copied(t *testing.T, from, to string, change func(content []byte) []byte) string {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, change(content), 0o600))
	return to
}

// tempDir is t.TempDir for wine, under which os.RemoveAll fails.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "libzmq")
	require.NoError(t, err)
	t.Cleanup(func() {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, file := range append(files, dir) {
			_ = os.Remove(file)
		}
	})
	return dir
}

func unchanged(content []byte) []byte { return content }

// Each fault is one sentence that says what to do.
func TestLoadLibrary(t *testing.T) {
	lib, dir := dll(t), tempDir(t)
	path := func(name string) string { return filepath.Join(dir, name) }
	processor := func(content []byte) []byte { // of a PE file, whose header is at the offset at 0x3c
		binary.LittleEndian.PutUint16(content[binary.LittleEndian.Uint32(content[0x3c:])+4:], 0xaa64)
		return content
	}
	for _, test := range []struct{ name, path, says string }{
		{"not there", path("none.dll"), "there is no such file"},
		{"no name of a file", "none.dll", "there is no none.dll in "},
		{"a text", copied(t, lib, path("text.dll"), func([]byte) []byte { return []byte("text") }), "it is not a DLL"},
		{"another processor", copied(t, lib, path("arm.dll"), processor), "it is for arm64, and this program is for amd64"},
		{"another DLL", "C:\\windows\\system32\\version.dll", "it has no zmq_errno"},
		{"without what it needs", copied(t, lib, path("alone.dll"), unchanged), "it needs libsodium-ac42d648.dll; copy that DLL beside it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, err := load(t, test.path)
			require.Error(t, err)
			require.Contains(t, out, test.path)
			require.Contains(t, out, test.says)
			require.Contains(t, out, "correct or unset the variable")
		})
	}
}

// What a DLL needs is not taken from the current folder, nor from PATH, so it is missing if it
// is only there.
func TestNeededOnlyInTheCurrentFolder(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	lib, dir := dll(t), tempDir(t)
	alone := copied(t, lib, filepath.Join(dir, "alone.dll"), unchanged)
	t.Chdir(filepath.Dir(lib))
	out, err := loadWith(t, program, alone, "PATH="+filepath.Dir(lib))
	require.Error(t, err)
	require.Contains(t, out, "it needs libsodium-ac42d648.dll; copy that DLL beside it")
}

func TestVisualRuntimeIsNamed(t *testing.T) {
	for _, name := range []string{"VCRUNTIME140.dll", "msvcp140.dll", "vcruntime140_1.dll"} {
		require.Contains(t, needs(name), "vc_redist")
	}
	require.NotContains(t, needs("libsodium.dll"), "vc_redist")
}

// Without the variable, a DLL beside the program is found by any of the usual names.
func TestLoadBesideProgram(t *testing.T) {
	lib, dir := dll(t), tempDir(t)
	program, err := os.Executable()
	require.NoError(t, err)
	copied(t, program, filepath.Join(dir, "program.exe"), unchanged)
	others, err := filepath.Glob(filepath.Join(filepath.Dir(lib), "*.dll"))
	require.NoError(t, err)
	for _, other := range others {
		copied(t, other, filepath.Join(dir, filepath.Base(other)), unchanged)
	}
	out, err := loadWith(t, filepath.Join(dir, "program.exe"), "")
	require.NoError(t, err, out)
	require.Contains(t, out, "guard false")
}

func TestNotFoundSaysWhatToInstall(t *testing.T) {
	err := notFound(false, "libzmq*.dll")
	for _, word := range []string{"libzmq*.dll", "vcpkg install zeromq", LibraryVariable} {
		require.ErrorContains(t, err, word)
	}
}
