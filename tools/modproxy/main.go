// Command modproxy packs modules as a release would, into a directory that GOPROXY can
// name (file:///that/directory):
//
//	modproxy -out DIR -version v0.1.0 MODULE-DIRECTORY...
//
// scripts/go-get.sh calls it on a copy of the repository.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", "", "the directory to write")
	version := flag.String("version", "v0.0.0", "the version of all modules")
	flag.Parse()
	for _, dir := range flag.Args() {
		if err := pack(*out, *version, dir); err != nil {
			log.Fatalf("modproxy: %s: %v", dir, err)
		}
	}
}

// pack writes the four files of a module proxy for one version of a module. The archive
// has no nested modules.
func pack(out, version, dir string) error {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	m := module.Version{Path: modfile.ModulePath(mod), Version: version}
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, m, dir); err != nil {
		return err
	}
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	proxy := filepath.Join(out, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(proxy, 0o755); err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, version, time.Now().UTC().Format(time.RFC3339))
	for name, text := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": []byte(info),
		version + ".mod":  mod,
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(proxy, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
