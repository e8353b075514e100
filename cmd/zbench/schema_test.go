package main_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// fitting checks all records that a script makes against their schema, at its end.
func fitting(env *testscript.Env) error {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join("..", "..", "docs", "zbench.schema.json"))
	if err != nil {
		return err
	}
	given := recordFiles(env.WorkDir) // those of the script itself may be incomplete
	env.Defer(func() {
		for file := range recordFiles(env.WorkDir) {
			text, err := os.ReadFile(file)
			if err != nil {
				env.T().Fatal(err)
			}
			for line := range bytes.Lines(text) {
				if given[file] || !bytes.HasPrefix(line, []byte(record.Prefix)) {
					continue
				}
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
				if err == nil {
					err = schema.Validate(v)
				}
				if err != nil {
					env.T().Fatal(file, err)
				}
			}
		}
	})
	return nil
}

func recordFiles(dir string) map[string]bool {
	files := map[string]bool{}
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
		if strings.HasSuffix(path, ".jsonl") {
			files[path] = true
		}
		return nil
	})
	return files
}
