// Command modproxy packs modules of this repository as a release would, into a
// directory that GOPROXY can name (file:///that/directory):
//
//	modproxy -out DIR -version v0.1.0 . cmd/zbench
//
// It takes the files that git has or would have, from the root of the repository. The
// first module is what the others depend on: their go.mod gets the line that a release
// adds, which requires it in the same version.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	out := flag.String("out", "", "the directory to write")
	version := flag.String("version", "v0.0.0", "the version that all modules get")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: modproxy -out DIR -version VERSION MODULE-DIRECTORY...")
		os.Exit(2)
	}
	if err := pack(*out, *version, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "modproxy:", err)
		os.Exit(1)
	}
}

func pack(out, version string, dirs []string) error {
	files, err := repositoryFiles()
	if err != nil {
		return err
	}
	first := ""
	for _, dir := range dirs {
		mod, err := readMod(dir)
		if err != nil {
			return err
		}
		if first == "" {
			first = mod.Module.Mod.Path
		} else if err := mod.AddRequire(first, version); err != nil {
			return err
		}
		if len(mod.Replace) > 0 {
			return fmt.Errorf("%s/go.mod has a replace directive: go install of a version refuses such a module", dir)
		}
		mod.Cleanup()
		text, err := mod.Format()
		if err != nil {
			return err
		}
		m := module.Version{Path: mod.Module.Mod.Path, Version: version}
		if err := write(out, m, text, filesOf(dir, files)); err != nil {
			return fmt.Errorf("packing %s: %w", m, err)
		}
	}
	return nil
}

func readMod(dir string) (*modfile.File, error) {
	path := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(path, text, nil)
}

// repositoryFiles returns the files below the current directory, in git's words.
func repositoryFiles() ([]string, error) {
	list, err := exec.Command("git", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	files := strings.Split(strings.TrimSpace(string(list)), "\n")
	return slices.DeleteFunc(files, func(name string) bool {
		_, err := os.Stat(name)
		return errors.Is(err, fs.ErrNotExist)
	}), nil
}

// filesOf returns the files of the module in dir, without those of modules inside.
func filesOf(dir string, files []string) []string {
	dir = filepath.Clean(dir)
	var nested []string
	for _, name := range files {
		if at := filepath.Dir(name); filepath.Base(name) == "go.mod" && at != dir && within(dir, at) {
			nested = append(nested, at)
		}
	}
	var own []string
	for _, name := range files {
		inside := func(module string) bool { return within(module, name) }
		if within(dir, name) && !slices.ContainsFunc(nested, inside) {
			own = append(own, name)
		}
	}
	return own
}

func within(dir, name string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }

// write makes the four files by which a proxy knows a version.
func write(out string, m module.Version, mod []byte, files []string) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(out, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := rootOf(files)
	packed := make([]zip.File, len(files))
	for i, name := range files {
		packed[i] = file{path: strings.TrimPrefix(name, root), on: name}
		if packed[i].Path() == "go.mod" {
			packed[i] = file{path: "go.mod", on: name, text: mod}
		}
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, m, packed); err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, m.Version, time.Now().UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{
		"list":              []byte(m.Version + "\n"),
		m.Version + ".info": []byte(info),
		m.Version + ".mod":  mod,
		m.Version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// rootOf returns the directory of the only go.mod, with a slash, or "".
func rootOf(files []string) string {
	for _, name := range files {
		if filepath.Base(name) == "go.mod" {
			return strings.TrimSuffix(name, "go.mod")
		}
	}
	return ""
}

// file is a zip.File, on disk, or with another text.
type file struct {
	path, on string
	text     []byte
}

func (f file) Path() string { return f.path }

func (f file) Lstat() (os.FileInfo, error) {
	info, err := os.Lstat(f.on)
	if f.text != nil {
		info = sized{info, int64(len(f.text))}
	}
	return info, err
}

func (f file) Open() (io.ReadCloser, error) {
	if f.text != nil {
		return io.NopCloser(bytes.NewReader(f.text)), nil
	}
	return os.Open(f.on)
}

type sized struct {
	os.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }
