package main_test

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record/recordtest"
)

// schemaFile is the JSON Schema of records.
var schemaFile = filepath.Join("..", "..", "docs", "zbench.schema.json")

// fitting has all records that a script makes held against their schema, at its end.
func fitting(env *testscript.Env) error {
	schema, err := recordtest.Load(schemaFile)
	if err != nil {
		return err
	}
	given, err := recordFiles(env.WorkDir) // the script's own may be as bare as they like
	if err != nil {
		return err
	}
	env.Defer(func() {
		files, err := recordFiles(env.WorkDir)
		if err != nil {
			env.T().Fatal(err)
		}
		for file := range files {
			text, err := os.ReadFile(file)
			if err == nil && !given[file] {
				err = schema.Check(text)
			}
			if err != nil {
				env.T().Fatal(file, err)
			}
		}
	})
	return nil
}

func recordFiles(dir string) (map[string]bool, error) {
	files := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == record.FileName {
			files[path] = true
		}
		return err
	})
	return files, err
}
