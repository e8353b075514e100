//go:build linux

package libzmq

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// otherTarget is a processor on which these tests do not run.
func otherTarget() string {
	if runtime.GOARCH == "arm64" {
		return "amd64"
	}
	return "arm64"
}

// changed writes a copy of a library, changed, and returns its path.
func changed(t *testing.T, library string, change func(content []byte) []byte) string {
	t.Helper()
	content, err := os.ReadFile(library)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "libzmq.so.5")
	require.NoError(t, os.WriteFile(path, change(content), 0o600))
	return path
}

// lastByte returns the end of what is mapped from a library.
func lastByte(t *testing.T, content []byte) int {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(content))
	require.NoError(t, err)
	end := uint64(0)
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD {
			end = max(end, p.Off+p.Filesz)
		}
	}
	return int(end)
}

func TestLoadOfDamagedLibraries(t *testing.T) {
	if linked {
		t.Skip("this build is linked with libzmq and loads none")
	}
	whole := fakeLibrary(t, fakeVersion(4, 3, 4))
	out, err := load(t, whole)
	require.NoError(t, err, out)

	t.Run("for another processor", func(t *testing.T) {
		path := changed(t, whole, func(content []byte) []byte {
			marks := elfTargets[otherTarget()]
			binary.LittleEndian.PutUint16(content[elfMachine:], marks[0])
			return content
		})
		out, err := load(t, path)
		require.Error(t, err)
		require.Contains(t, out, path+": it is for "+otherTarget()+", and this program is for "+runtime.GOARCH)
		require.Contains(t, out, LibraryVariable)
		require.NotContains(t, out, "No such file")
		require.NotContains(t, out, "\n")
	})
	t.Run("copied in part", func(t *testing.T) {
		for _, parts := range []int{2, 3, 10} {
			path := changed(t, whole, func(content []byte) []byte { return content[:lastByte(t, content)*(parts-1)/parts] })
			out, err := load(t, path)
			require.Error(t, err)
			require.Contains(t, out, path+": it is truncated")
			require.NotContains(t, out, "\n")
		}
	})
	t.Run("empty", func(t *testing.T) {
		out, err := load(t, changed(t, whole, func([]byte) []byte { return nil }))
		require.Error(t, err)
		require.Contains(t, out, "it is not a shared library")
	})
}

// Whatever is missing is seen, and nothing is found wrong with what is whole.
func TestExamineEveryLength(t *testing.T) {
	if linked {
		t.Skip("this build is linked with libzmq and loads none")
	}
	content, err := os.ReadFile(fakeLibrary(t, fakeVersion(4, 3, 4)))
	require.NoError(t, err)
	end := lastByte(t, content)
	for n := range len(content) + 1 {
		said := examineELF(bytes.NewReader(content[:n]), int64(n))
		if (n < end) != (said != "") {
			require.FailNow(t, "wrong", "%d bytes of %d: %q", n, end, said)
		}
	}
}

// Whatever the header says, it is examined without a panic and without an endless loop.
func FuzzExamine(f *testing.F) {
	for _, wide := range []byte{1, 2} {
		header := make([]byte, 200)
		copy(header, elfIdent)
		header[elfClass], header[elfData] = wide, 1
		marks := elfTargets[runtime.GOARCH]
		binary.LittleEndian.PutUint16(header[elfMachine:], marks[0])
		binary.LittleEndian.PutUint64(header[32:], 64)
		binary.LittleEndian.PutUint16(header[56:], 2)
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		said := examineELF(bytes.NewReader(content), int64(len(content)))
		require.False(t, strings.Contains(said, "-"), said)
		for order, is := range map[binary.ByteOrder]byte{binary.LittleEndian: 1, binary.BigEndian: 2} {
			if len(content) >= elfHeader64 {
				header := bytes.Clone(content[:elfHeader64])
				header[elfData] = is
				require.GreaterOrEqual(t, elfEnd(bytes.NewReader(content), header, order), int64(0))
			}
		}
	})
}
