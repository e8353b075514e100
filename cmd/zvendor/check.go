package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// check says whether the folder is as zvendor wrote it.
func check(given string, log io.Writer) error {
	folder, pkg, err := place(given)
	if err != nil {
		return err
	}
	about, err := readManifest(folder)
	if err != nil {
		return err
	}
	wrong := differences(folder, about)
	if about.Package != pkg {
		wrong = append(wrong, fmt.Sprintf("it was written as package %s, and is %s", about.Package, pkg))
	}
	if about.Format != manifestFormat {
		wrong = append(wrong, "another version of zvendor wrote it")
	}
	if !slices.ContainsFunc(archives, func(a archive) bool { return a.SHA256 == about.Libzmq.SHA256 }) {
		wrong = append(wrong, "its archive "+about.Libzmq.Name+" is not known")
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s does not match: %s", given, strings.Join(wrong, ", "))
	}
	fmt.Fprintf(log, "%s matches: libzmq %s from %s, %d files\n", given, about.Libzmq.Version, about.Libzmq.Name, len(about.Files))
	return nil
}

func readManifest(folder string) (manifest, error) {
	var about manifest
	content, err := os.ReadFile(filepath.Join(folder, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return about, fmt.Errorf("%s has no %s: zvendor did not write it", folder, manifestName)
	}
	if err == nil {
		err = json.Unmarshal(content, &about)
	}
	return about, err
}

// differences lists the files that are not as the manifest says.
func differences(folder string, about manifest) (wrong []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return []string{err.Error()}
	}
	there := map[string]bool{manifestName: true}
	for _, entry := range entries {
		there[entry.Name()] = true
		sum, known := about.Files[entry.Name()]
		if !known && entry.Name() != manifestName {
			wrong = append(wrong, entry.Name()+" is additional")
		}
		if !known {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			wrong = append(wrong, err.Error())
		} else if checksum(content) != sum {
			wrong = append(wrong, entry.Name()+" is changed")
		}
	}
	for name := range about.Files {
		if !there[name] {
			wrong = append(wrong, name+" is missing")
		}
	}
	slices.Sort(wrong)
	return wrong
}
