package libzmq

/*
#include "api.h"

int gz_open(const uint16_t *path, int full, void **lib);
const char *gz_resolve(void *lib);
*/
import "C"

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"unsafe"
)

// open opens the chosen DLL, or the first one that is found under a usual name, and
// returns its path. If there is none, tried describes every attempt.
func open(chosen string) (name, tried string) {
	fillErrnos()
	var failures []string
	for _, path := range candidates(chosen) {
		fault := openOne(path)
		if fault == "" {
			return path, ""
		}
		failures = append(failures, path+": "+fault)
	}
	if failures != nil {
		return "", strings.Join(failures, "; ")
	}
	if chosen == "" {
		chosen = usualNames
	}
	return "", fmt.Sprintf("there is no %s in %s or in a folder of PATH", chosen, programFolder())
}

// fillErrnos tells the shims which of Go's error numbers stands for each of libzmq's.
func fillErrnos() {
	for i, n := range errnos {
		C.gz_errnos[i] = C.int(n)
	}
}

// usualNames is the pattern of libzmq's names: libzmq.dll, libzmq-5.dll of MSYS2,
// libzmq-mt-4_3_5.dll of vcpkg, libzmq-v143-mt-4_3_5.dll of CMake.
const usualNames = "libzmq*.dll"

// debugBuild matches the names of builds that need the debug version of Microsoft's C
// runtime, which only its compiler brings.
var debugBuild = regexp.MustCompile(`-(gd|sgd)-`)

// candidates returns the paths to try. The current folder is not among them, because a
// program may be started in a folder that others can write to.
func candidates(chosen string) (paths []string) {
	if strings.ContainsAny(chosen, `/\`) {
		if path, err := filepath.Abs(chosen); err == nil {
			chosen = path
		}
		return []string{chosen}
	}
	for _, dir := range append([]string{programFolder()}, filepath.SplitList(os.Getenv("PATH"))...) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if chosen != "" {
			if path := filepath.Join(dir, chosen); isFile(path) {
				paths = append(paths, path)
			}
			continue
		}
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			name := strings.ToLower(e.Name())
			if usual, _ := filepath.Match(usualNames, name); usual && !debugBuild.MatchString(name) {
				paths = append(paths, filepath.Join(dir, e.Name()))
			}
		}
	}
	return paths
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func programFolder() string {
	program, _ := os.Executable()
	return filepath.Dir(program)
}

// openOne opens a DLL by its path and fills the function table. It returns what is wrong,
// or "".
func openOne(path string) string {
	if !isFile(path) {
		return "there is no such file"
	}
	file, err := pe.Open(path)
	if err != nil {
		return "it is not a DLL"
	}
	defer file.Close()
	if want := machines[runtime.GOARCH]; file.Machine != want {
		return fmt.Sprintf("it is for %s, and this program is for %s", architecture(file.Machine), runtime.GOARCH)
	}
	wide, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return err.Error()
	}
	var lib unsafe.Pointer
	if rc := C.gz_open((*C.uint16_t)(wide), 1, &lib); rc != 0 {
		if name := missing(path, map[string]bool{}); name != "" {
			return needs(name)
		}
		return syscall.Errno(rc).Error()
	}
	if function := C.gz_resolve(lib); function != nil {
		return "it has no " + C.GoString(function)
	}
	return ""
}

var machines = map[string]uint16{
	"386": pe.IMAGE_FILE_MACHINE_I386, "amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64,
}

func architecture(machine uint16) string {
	for name, m := range machines {
		if m == machine {
			return name
		}
	}
	return fmt.Sprintf("another processor (PE machine %#x)", machine)
}

// missing returns the name of a DLL that the one at path needs, itself or through others
// in its folder, and that cannot be loaded. It returns "" if there is none. Windows does
// not tell the name.
func missing(path string, seen map[string]bool) string {
	file, err := pe.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for _, name := range imports(file) {
		if seen[name] {
			continue
		}
		seen[name] = true
		if beside := filepath.Join(filepath.Dir(path), name); isFile(beside) {
			if name := missing(beside, seen); name != "" {
				return name
			}
			continue
		}
		var lib unsafe.Pointer
		wide, err := syscall.UTF16PtrFromString(name)
		if err != nil || C.gz_open((*C.uint16_t)(wide), 0, &lib) != 0 {
			return name
		}
		_ = syscall.FreeLibrary(syscall.Handle(lib))
	}
	return ""
}

// imports returns the names of the DLLs that a DLL needs. File.ImportedSymbols looks for the
// names only in the section of their table, and tools that rename DLLs put them into
// another one.
func imports(file *pe.File) (names []string) {
	header, ok := file.OptionalHeader.(*pe.OptionalHeader64)
	if !ok {
		return nil
	}
	const entry, nameAt = 20, 12 // the size of an entry of the table, and where its name is
	table := memory(file, header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_IMPORT].VirtualAddress)
	for ; len(table) >= entry; table = table[entry:] {
		address := binary.LittleEndian.Uint32(table[nameAt:])
		if address == 0 {
			break
		}
		name, _, _ := bytes.Cut(memory(file, address), []byte{0})
		names = append(names, string(name))
	}
	return names
}

// memory returns what a file has at an address, up to the end of the section.
func memory(file *pe.File, address uint32) []byte {
	for _, s := range file.Sections {
		if offset := address - s.VirtualAddress; address >= s.VirtualAddress && offset < s.Size {
			content, _ := s.Data()
			return content[min(int(offset), len(content)):]
		}
	}
	return nil
}

var visualRuntime = regexp.MustCompile(`(?i)^(vcruntime|msvcp|concrt)`)

func needs(name string) string {
	if visualRuntime.MatchString(name) {
		return fmt.Sprintf("it needs %s of the Visual C++ runtime; install https://aka.ms/vs/17/release/vc_redist.x64.exe, or copy the DLL beside it", name)
	}
	return fmt.Sprintf("it needs %s; copy that DLL beside it", name)
}

func installHint() string {
	return "install it with vcpkg (vcpkg install zeromq:x64-windows), or copy libzmq's DLL and the DLLs that it needs to the folder of the program"
}
