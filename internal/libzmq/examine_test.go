//go:build linux

package libzmq

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Offsets in the header of a file of 64 bits.
const (
	machineAt      = 18
	sectionsAt     = 40
	sectionCountAt = 60 // followed by the index of the section with the names
)

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
			binary.LittleEndian.PutUint16(content[machineAt:], uint16(elf.EM_S390))
			return content
		})
		out, err := load(t, path)
		require.Error(t, err)
		require.Contains(t, out, path+": it is for EM_S390, and this program is for EM_")
		require.Contains(t, out, LibraryVariable)
		require.NotContains(t, out, "No such file")
		require.NotContains(t, out, "\n")
	})
	t.Run("copied in part", func(t *testing.T) {
		for _, parts := range []int{2, 3, 10} {
			path := changed(t, whole, func(content []byte) []byte { return content[:lastByte(t, content)*(parts-1)/parts] })
			out, err := load(t, path)
			require.Error(t, err)
			require.Contains(t, out, path+": it is not a complete shared library")
			require.NotContains(t, out, "\n")
		}
	})
	t.Run("copied in part, without its table of sections", func(t *testing.T) {
		path := changed(t, whole, func(content []byte) []byte {
			clear(content[sectionsAt:][:8])
			clear(content[sectionCountAt:][:4])
			return content[:lastByte(t, content)-1]
		})
		out, err := load(t, path)
		require.Error(t, err)
		require.Contains(t, out, path+": it is truncated")
		require.NotContains(t, out, "\n")
	})
	t.Run("empty", func(t *testing.T) {
		out, err := load(t, changed(t, whole, func([]byte) []byte { return nil }))
		require.Error(t, err)
		require.Contains(t, out, "it is not a complete shared library")
	})
}

// Every missing byte is noticed that the loader needs, and a whole library passes.
func TestExamineEveryLength(t *testing.T) {
	if linked {
		t.Skip("this build is linked with libzmq and loads none")
	}
	content, err := os.ReadFile(fakeLibrary(t, fakeVersion(4, 3, 4)))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "libzmq.so.5")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	require.Empty(t, examine(path))
	for n := lastByte(t, content) - 1; n >= 0; n-- {
		require.NoError(t, os.Truncate(path, int64(n)))
		require.NotEmpty(t, examine(path), "%d bytes", n)
	}
}

// No content makes examine panic or loop.
func FuzzExamine(f *testing.F) {
	for _, wide := range []byte{1, 2} {
		header := make([]byte, 200)
		copy(header, elf.ELFMAG)
		header[elf.EI_CLASS], header[elf.EI_DATA], header[elf.EI_VERSION] = wide, 1, 1
		binary.LittleEndian.PutUint64(header[32:], 64)
		binary.LittleEndian.PutUint16(header[56:], 2)
		f.Add(header)
	}
	path := filepath.Join(f.TempDir(), "libzmq.so.5")
	f.Fuzz(func(t *testing.T, content []byte) {
		require.NoError(t, os.WriteFile(path, content, 0o600))
		said := examine(path)
		require.NotContains(t, said, "\n")
	})
}
