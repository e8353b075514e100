// Package recordtest holds records against their JSON Schema. It is for tests only.
package recordtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Schema is the JSON Schema of records. Its methods may be called from any goroutine.
type Schema struct {
	root     map[string]any
	compiled *jsonschema.Schema
}

// Load reads a file with the schema. A field that it does not name is wrong here, which
// for the schema itself it is not.
func Load(path string) (*Schema, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &Schema{root: v.(map[string]any)}
	for _, is := range s.root["$defs"].(map[string]any) {
		is.(map[string]any)["additionalProperties"] = false
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(path, s.root); err != nil {
		return nil, err
	}
	s.compiled, err = c.Compile(path)
	return s, err
}

// Check returns what is wrong with the records of a text, other lines of which are
// passed over.
func (s *Schema) Check(text []byte) error {
	var all []error
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte(record.Prefix)) {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err == nil {
			err = s.compiled.Validate(v)
		}
		if err != nil {
			all = append(all, fmt.Errorf("%.60s: %w", line, err))
		}
	}
	return errors.Join(all...)
}

// Fields returns the names of all fields that the schema has for records, with the
// names of what they are part of: "run.cell.size".
func (s *Schema) Fields() (names []string) {
	for _, is := range s.root["oneOf"].([]any) {
		is := is.(map[string]any)
		names = s.fields(names, strings.TrimPrefix(is["$ref"].(string), "#/$defs/"), is)
	}
	slices.Sort(names)
	return names
}

func (s *Schema) fields(names []string, at string, is map[string]any) []string {
	if ref, ok := is["$ref"].(string); ok {
		is = s.root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	for _, of := range []string{"items", "additionalProperties"} {
		if of, ok := is[of].(map[string]any); ok {
			return s.fields(names, at, of)
		}
	}
	properties, _ := is["properties"].(map[string]any)
	for key, of := range properties {
		names = s.fields(append(names, at+"."+key), at+"."+key, of.(map[string]any))
	}
	return names
}
