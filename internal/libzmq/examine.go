//go:build unix

package libzmq

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// examine checks the library file that the user has named, because the errors of the
// system's loader can be poor. glibc reports "No such file" for a library built for
// another processor. A truncated file ends the process with SIGBUS. examine returns a
// description of the fault, or "" if the loader can try the file.
func examine(name string) string {
	// The loader searches for a bare name. Other systems have other file formats, and
	// their loaders describe errors well.
	if runtime.GOOS != "linux" || !strings.Contains(name, "/") {
		return ""
	}
	// Opening a pipe would wait for a writer.
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	return examineELF(file, info.Size())
}

// The fields of an ELF file that are needed here, see elf(5).
const (
	elfIdent     = "\x7fELF"
	elfHeader32  = 52
	elfHeader64  = 64
	elfClass     = 4 // offset of the class: 1 for 32 bits, 2 for 64 bits
	elfData      = 5 // offset of the byte order: 1 for little, 2 for big endian
	elfMachine   = 18
	elfLoad      = 1 // type of a segment that is mapped
	elfSegment32 = 32
	elfSegment64 = 56
)

// elfTargets lists, by GOARCH, what identifies the files of a processor: the machine
// number, the class and the byte order.
var elfTargets = map[string][3]uint16{
	"386": {3, 1, 1}, "amd64": {62, 2, 1}, "arm": {40, 1, 1}, "arm64": {183, 2, 1}, "loong64": {258, 2, 1},
	"mips": {8, 1, 2}, "mipsle": {8, 1, 1}, "mips64": {8, 2, 2}, "mips64le": {8, 2, 1},
	"ppc64": {21, 2, 2}, "ppc64le": {21, 2, 1}, "riscv64": {243, 2, 1}, "s390x": {22, 2, 2},
}

func examineELF(file io.ReaderAt, size int64) string {
	const no = "it is not a shared library"
	if size < elfHeader32 {
		return no
	}
	header := make([]byte, min(size, elfHeader64))
	if _, err := file.ReadAt(header, 0); err != nil {
		return "" // it cannot be read, and the loader reports why
	}
	if string(header[:len(elfIdent)]) != elfIdent {
		return no
	}
	var order binary.ByteOrder = binary.LittleEndian
	if header[elfData] == 2 {
		order = binary.BigEndian
	}
	is := [3]uint16{order.Uint16(header[elfMachine:]), uint16(header[elfClass]), uint16(header[elfData])}
	if want, known := elfTargets[runtime.GOARCH]; known && is != want {
		return fmt.Sprintf("it is for %s, and this program is for %s", elfTarget(is), runtime.GOARCH)
	}
	if end := elfEnd(file, header, order); size < end {
		return fmt.Sprintf("it is truncated: it has %d bytes and needs at least %d", size, end)
	}
	return ""
}

func elfTarget(is [3]uint16) string {
	for name, marks := range elfTargets {
		if is == marks {
			return name
		}
	}
	return fmt.Sprintf("another processor (ELF machine %d, class %d)", is[0], is[1])
}

// elfEnd returns the end offset of the parts that are mapped from the file, as far as the
// header and the segment table can be read.
func elfEnd(file io.ReaderAt, header []byte, order binary.ByteOrder) int64 {
	var table uint64
	var each, count int
	wide := header[elfClass] == 2
	switch {
	case !wide:
		table = uint64(order.Uint32(header[28:]))
		each, count = elfSegment32, int(order.Uint16(header[44:]))
	case len(header) < elfHeader64:
		return elfHeader64
	default:
		table = order.Uint64(header[32:])
		each, count = elfSegment64, int(order.Uint16(header[56:]))
	}
	// No library is nearly this large, and the sums below cannot overflow.
	const limit = 1 << 50
	if table > limit {
		return limit
	}
	end := int64(table) + int64(each*count)
	segment := make([]byte, each)
	for i := range count {
		if _, err := file.ReadAt(segment, int64(table)+int64(i*each)); err != nil {
			return end
		}
		if order.Uint32(segment) != elfLoad {
			continue
		}
		at, length := order.Uint64(segment[8:]), uint64(0)
		if wide {
			length = order.Uint64(segment[32:])
		} else {
			at, length = uint64(order.Uint32(segment[4:])), uint64(order.Uint32(segment[16:]))
		}
		if at > limit || length > limit {
			return limit
		}
		end = max(end, int64(at+length))
	}
	return end
}
