// Package recordtest holds records against their JSON Schema. It is for tests only, and
// knows no more of JSON Schema than that one uses.
package recordtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// schema is a schema, or a part of one. What it has beside these fields is refused.
type schema struct {
	Dialect     string `json:"$schema"`
	Title       string
	Description string

	Ref     string             `json:"$ref"`
	Defs    map[string]*schema `json:"$defs"`
	OneOf   []*schema
	Const   string
	Type    kinds
	Format  string
	Minimum *float64
	Maximum *float64
	Items   *schema

	Properties           map[string]*schema
	AdditionalProperties *schema
	Required             []string
}

// kinds is one type, or a list of several.
type kinds []string

func (k *kinds) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(k))
	}
	*k = kinds{""}
	return json.Unmarshal(text, &(*k)[0])
}

// Schema is the JSON Schema of records. Its methods may be called from any goroutine.
type Schema struct{ root *schema }

// Load reads a file with the schema.
func Load(path string) (*Schema, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Schema{&schema{}}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s.root); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Check returns what is wrong with the records of a text, other lines of which are
// passed over. A field that the schema does not name is wrong, which for the schema
// itself it is not.
func (s *Schema) Check(text []byte) error {
	var all []error
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte(record.Prefix)) {
			continue
		}
		var v any
		err := json.Unmarshal(line, &v)
		if err == nil {
			err = s.check(s.root, v, "")
		}
		if err != nil {
			all = append(all, fmt.Errorf("%.60s: %w", line, err))
		}
	}
	return errors.Join(all...)
}

func (s *Schema) check(is *schema, v any, at string) error {
	if is.Ref != "" {
		to := s.root.Defs[strings.TrimPrefix(is.Ref, "#/$defs/")]
		if to == nil {
			return fmt.Errorf("the schema has no %s", is.Ref)
		}
		return s.check(to, v, at)
	}
	if is.OneOf != nil {
		return s.one(is.OneOf, v, at)
	}
	if is.Const != "" && v != is.Const {
		return fmt.Errorf("%s is %v, not %s", at, v, is.Const)
	}
	if is.Type != nil && !slices.ContainsFunc(is.Type, func(kind string) bool { return isA(kind, v) }) {
		return fmt.Errorf("%s is %v, not of type %v", at, v, is.Type)
	}
	switch v := v.(type) {
	case string:
		if is.Format == "date-time" {
			if _, err := time.Parse(time.RFC3339, v); err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
		}
	case float64:
		if is.Minimum != nil && v < *is.Minimum || is.Maximum != nil && v > *is.Maximum {
			return fmt.Errorf("%s is %v, out of its range", at, v)
		}
	case []any:
		for i, item := range v {
			if err := s.check(is.Items, item, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		return s.object(is, v, at)
	}
	return nil
}

func (s *Schema) object(is *schema, v map[string]any, at string) error {
	for _, key := range is.Required {
		if _, ok := v[key]; !ok {
			return fmt.Errorf("%s.%s is missing", at, key)
		}
	}
	for key, value := range v {
		of := is.Properties[key]
		if of == nil {
			of = is.AdditionalProperties
		}
		if of == nil {
			return fmt.Errorf("%s.%s is not in the schema", at, key)
		}
		if err := s.check(of, value, at+"."+key); err != nil {
			return err
		}
	}
	return nil
}

// one checks that exactly one of several holds.
func (s *Schema) one(of []*schema, v any, at string) error {
	var failed []error
	for _, is := range of {
		if err := s.check(is, v, at); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", is.Ref, err))
		}
	}
	if n := len(of) - len(failed); n != 1 {
		return fmt.Errorf("%d kinds of record fit, not one: %w", n, errors.Join(failed...))
	}
	return nil
}

func isA(kind string, v any) bool {
	switch v := v.(type) {
	case nil:
		return kind == "null"
	case bool:
		return kind == "boolean"
	case string:
		return kind == "string"
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	}
	return false
}

// Fields returns the names of all fields that the schema has for records, with the
// names of what they are part of: "run.cell.size".
func (s *Schema) Fields() (names []string) {
	for _, is := range s.root.OneOf {
		names = s.fields(names, strings.TrimPrefix(is.Ref, "#/$defs/"), is)
	}
	slices.Sort(names)
	return names
}

func (s *Schema) fields(names []string, at string, is *schema) []string {
	switch {
	case is.Ref != "":
		return s.fields(names, at, s.root.Defs[strings.TrimPrefix(is.Ref, "#/$defs/")])
	case is.Items != nil:
		return s.fields(names, at, is.Items)
	case is.AdditionalProperties != nil:
		return s.fields(names, at, is.AdditionalProperties)
	}
	for key, of := range is.Properties {
		names = s.fields(append(names, at+"."+key), at+"."+key, of)
	}
	return names
}
