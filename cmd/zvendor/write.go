package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// write generates the package and puts the folder in place as a whole: on an error, FOLDER
// is as it was.
func write(c command, log io.Writer) error {
	folder, pkg, err := place(c.folder)
	if err != nil {
		return err
	}
	if c.update {
		err = prepareUpdate(&c, folder)
	} else {
		err = mustBeNew(folder)
	}
	if err != nil {
		return err
	}
	compiler := ""
	if !c.withoutUse {
		if compiler, err = compilers(filepath.Dir(folder)); err != nil {
			return err
		}
	}
	from, err := gather(c, log)
	if err != nil {
		return err
	}
	files, err := generate(pkg, packageName(folder), c.options, from)
	if err != nil {
		return err
	}
	undo, done, err := replace(folder, files)
	if err != nil {
		return err
	}
	if !c.withoutUse {
		if err := compile(folder, from.libzmq.Version, compiler, log); err != nil {
			return errors.Join(err, undo())
		}
	}
	fmt.Fprintf(log, "%s contains %s; select it with: import _ %q\n", c.folder, described(c.options, from), pkg)
	return done()
}

// gather obtains the sources.
func gather(c command, log io.Writer) (from sources, err error) {
	if c.version == "" && c.source == "" {
		c.version = newestLibzmq
	}
	from.libzmq, from.libzmqFiles, err = obtain("libzmq", c.version, c.source, log)
	if err != nil {
		return from, err
	}
	if !needsSodium(c.options, from.libzmqFiles) {
		return from, nil
	}
	if c.sodium == "" && c.source != "" {
		return from, fmt.Errorf("libzmq %s has no code for CURVE of its own: give an archive of libsodium with --sodium-source, or --curve=system or --curve=off", from.libzmq.Version)
	}
	if c.sodium == "" {
		c.sodiumVersion = newestLibsodium
	}
	from.libsodium, from.libsodiumFiles, err = obtain("libsodium", c.sodiumVersion, c.sodium, log)
	return from, err
}

func described(o options, from sources) string {
	text := "libzmq " + from.libzmq.Version
	switch {
	case from.libsodiumFiles != nil:
		text += ", CURVE by libsodium " + from.libsodium.Version
	case o.Curve == curveBuiltin:
		text += ", CURVE by tweetnacl"
	case o.Curve == curveSystem:
		text += ", CURVE by the system's libsodium"
	default:
		text += ", without CURVE"
	}
	if o.Draft {
		text += ", with the draft API"
	}
	if o.Tuned {
		text += ", batches of 128 KiB"
	}
	return text
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// place returns the folder's absolute path, and the import path of a package there.
func place(folder string) (absolute, pkg string, err error) {
	absolute, err = filepath.Abs(folder)
	if err != nil {
		return "", "", err
	}
	for dir := filepath.Dir(absolute); ; dir = filepath.Dir(dir) {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			match := moduleLine.FindSubmatch(content)
			below, err := filepath.Rel(dir, absolute)
			if match == nil || err != nil {
				return "", "", fmt.Errorf("%s names no module", filepath.Join(dir, "go.mod"))
			}
			return absolute, path.Join(string(match[1]), filepath.ToSlash(below)), nil
		}
		if dir == filepath.Dir(dir) {
			return "", "", fmt.Errorf("%s is not inside a Go module: run go mod init first", folder)
		}
	}
}

func packageName(folder string) string {
	name := strings.ToLower(filepath.Base(folder))
	if regexp.MustCompile(`^[a-z][a-z0-9]*$`).MatchString(name) {
		return name
	}
	return "libzmq"
}

func mustBeNew(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := readManifest(folder); err == nil {
		return fmt.Errorf("%s has been written by zvendor before: use --update", folder)
	}
	return fmt.Errorf("%s is not empty: name a new folder", folder)
}

// prepareUpdate takes the options of the folder that the command line does not give.
func prepareUpdate(c *command, folder string) error {
	about, err := readManifest(folder)
	if err != nil {
		return err
	}
	if wrong := differences(folder, about); len(wrong) > 0 {
		return fmt.Errorf("%s has changed since zvendor wrote it, and --update would lose that: %s", folder, strings.Join(wrong, ", "))
	}
	if !c.given("curve") {
		c.options.Curve = about.Options.Curve
	}
	if !c.given("draft") {
		c.options.Draft = about.Options.Draft
	}
	if !c.given("tuned") {
		c.options.Tuned = about.Options.Tuned
	}
	return nil
}

// replace writes the files to a new folder, which takes the place of the old one. undo
// brings that back, and done removes it.
func replace(folder string, files map[string][]byte) (undo, done func() error, err error) {
	above := filepath.Dir(folder)
	if err := os.MkdirAll(above, 0o777); err != nil {
		return nil, nil, err
	}
	work, err := os.MkdirTemp(above, ".zvendor-")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(work))
		}
	}()
	fresh, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return nil, nil, err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(fresh, name), content, 0o666); err != nil {
			return nil, nil, err
		}
	}
	if err := os.Rename(folder, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	back := func() error {
		if err := os.Rename(old, folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.Rename(fresh, folder); err != nil {
		return nil, nil, errors.Join(err, back())
	}
	undo = func() error { return errors.Join(os.RemoveAll(folder), back(), os.RemoveAll(work)) }
	return undo, func() error { return os.RemoveAll(work) }, nil
}

// compilers returns the C++ compiler that cgo will call. Without one, cgo is off.
func compilers(above string) (string, error) {
	for _, err := os.Stat(above); err != nil && above != filepath.Dir(above); _, err = os.Stat(above) {
		above = filepath.Dir(above)
	}
	ask := exec.Command("go", "env", "-json", "CGO_ENABLED", "CC", "CXX")
	ask.Dir = above
	answer, err := ask.Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	var env struct {
		Enabled string `json:"CGO_ENABLED"`
		C       string `json:"CC"`
		CPlus   string `json:"CXX"`
	}
	if err := json.Unmarshal(answer, &env); err != nil {
		return "", err
	}
	const install = "install one (apt-get install g++, dnf install gcc-c++, apk add g++, xcode-select --install), or give --no-build to write the folder only"
	for _, compiler := range []string{env.C, env.CPlus} {
		name := strings.Fields(compiler + " cc")[0]
		if _, err := exec.LookPath(name); err != nil {
			return "", fmt.Errorf("there is no compiler %s; go build needs one for C and one for C++: %s", name, install)
		}
	}
	if env.Enabled != "1" {
		return "", errors.New("cgo is off: set CGO_ENABLED=1, or give --no-build to write the folder only")
	}
	return env.CPlus, nil
}

// compile lets go build the package, which fills its cache for the program.
func compile(folder, version, compiler string, log io.Writer) error {
	fmt.Fprintf(log, "compiling libzmq %s with %s; go build does it once, for about half a minute\n", version, compiler)
	start := time.Now()
	build := exec.Command("go", "build", ".")
	build.Dir = folder
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("libzmq does not compile here, so %s was not written: %w\n%s", folder, err, output)
	}
	fmt.Fprintf(log, "compiled in %.0f s\n", time.Since(start).Seconds())
	return nil
}
