//go:build unix

package libzmq

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// examine checks the library file that the user has named, because the errors of the
// system's loader can be poor. glibc reports "No such file" for a library built for
// another processor. A truncated file ends the process with SIGBUS. examine returns a
// description of the fault, or "" if the loader can try the file.
func examine(name string) string {
	// The loader searches for a bare name.
	if !strings.Contains(name, "/") {
		return ""
	}
	info, err := os.Stat(name)
	if err != nil {
		return "" // the loader reports why
	}
	// The loader would wait for the writer of a pipe, and read a device without end.
	if !info.Mode().IsRegular() {
		return "it is " + kind(info.Mode()) + ", not a file"
	}
	// Other systems have other file formats, and their loaders describe errors well.
	if runtime.GOOS != "linux" {
		return ""
	}
	library, err := elf.Open(name)
	var unreadable *fs.PathError
	switch {
	case errors.As(err, &unreadable):
		return "" // the loader reports why
	case err != nil:
		return fmt.Sprintf("it is not a complete shared library: %v", err)
	}
	defer library.Close()
	return examineELF(library, uint64(info.Size()))
}

// kind names what is no regular file.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// examineELF examines a library file of size bytes whose tables are complete.
func examineELF(library *elf.File, size uint64) string {
	for _, p := range library.Progs {
		if p.Type == elf.PT_LOAD && (p.Off > size || p.Filesz > size-p.Off) {
			return fmt.Sprintf("it is truncated: it has %d bytes, and a segment at offset %d needs %d", size, p.Off, p.Filesz)
		}
	}
	program, err := elf.Open("/proc/self/exe")
	if err != nil {
		return "" // there is no /proc to compare with
	}
	defer program.Close()
	if library.Machine != program.Machine {
		return fmt.Sprintf("it is for %v, and this program is for %v", library.Machine, program.Machine)
	}
	return ""
}
