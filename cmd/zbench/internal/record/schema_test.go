package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func schema(t *testing.T) *schemaFile {
	t.Helper()
	s, err := loadSchema("../../../../docs/zbench.schema.json")
	require.NoError(t, err)
	return s
}

// The schema has every field of every record, and no other.
func TestSchemaHasAllFields(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := record.NewWriter(&b)
	require.NoError(t, w.Write(full[record.Plan]()))
	require.NoError(t, w.Write(full[record.Env]()))
	require.NoError(t, w.Write(full[record.Run]()))
	require.NoError(t, w.Write(full[record.Verdict]()))
	require.NoError(t, w.Write(full[record.End]()))
	require.NoError(t, schema(t).check(b.Bytes()))

	var names []string
	for line := range bytes.Lines(b.Bytes()) {
		var v map[string]any
		require.NoError(t, json.Unmarshal(line, &v))
		names = fieldsOf(names, v["kind"].(string), v)
	}
	slices.Sort(names)
	require.Equal(t, schema(t).all(), names)
}

// inMap is the only key of the maps that full makes.
const inMap = "key"

func fieldsOf(names []string, at string, v any) []string {
	switch v := v.(type) {
	case []any:
		return fieldsOf(names, at, v[0])
	case map[string]any:
		if in, ok := v[inMap]; ok {
			return fieldsOf(names, at, in)
		}
		for key, value := range v {
			names = fieldsOf(append(names, at+"."+key), at+"."+key, value)
		}
	}
	return names
}

// full returns a value of which nothing is zero, so that nothing is left out.
func full[T any]() (v T) {
	fill(reflect.ValueOf(&v).Elem())
	return v
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		one := reflect.New(v.Type().Elem()).Elem()
		fill(one)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(inMap), one)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1_800_000_000, 0)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		v.Set(reflect.ValueOf(1).Convert(v.Type()))
	}
}

// Records with little in them satisfy the schema as well: nothing that may be left out
// is required, and lists that are not there are null.
func TestSchemaOfSmallRecords(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := record.NewWriter(&b)
	require.NoError(t, w.Write(record.Plan{}))
	require.NoError(t, w.Write(record.Env{}))
	require.NoError(t, w.Write(record.Run{}))
	require.NoError(t, w.Write(exampleRun(t)))
	require.NoError(t, w.Write(record.Verdict{}))
	require.NoError(t, w.Write(record.End{}))
	require.NoError(t, schema(t).check(b.Bytes()))
}

// The schema refuses other lines.
func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	const good = `{"schema":"zbench/1","kind":"end","plan":"p","complete":true,"exit":0}`
	require.NoError(t, schema(t).check([]byte("a line of a log\n"+good+"\n")))
	for from, to := range map[string]string{
		"zbench/1":      "zbench/2",
		`"end"`:         `"run"`,
		`,"exit":0`:     "",
		`:0`:            ":-1",
		`:0}`:           ":0.5}",
		`true`:          "1",
		`"p"`:           "null",
		`"complete"`:    `"finished":true,"complete"`,
		`,"exit":0}`:    `,"exit":0`,
		`"kind":"end",`: "",
	} {
		bad := strings.Replace(good, from, to, 1)
		require.NotEqual(t, good, bad)
		require.Error(t, schema(t).check([]byte(bad)), bad)
	}
}

// schemaFile is the JSON Schema of records.
type schemaFile struct {
	root     map[string]any
	compiled *jsonschema.Schema
}

// loadSchema reads a schema. Here fields that it does not name are wrong.
func loadSchema(path string) (*schemaFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s := &schemaFile{root: v.(map[string]any)}
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

// check returns what is wrong with the records of a text.
func (s *schemaFile) check(text []byte) error {
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

// all returns the names of all fields: "run.cell.size".
func (s *schemaFile) all() (names []string) {
	for _, is := range s.root["oneOf"].([]any) {
		is := is.(map[string]any)
		names = s.fields(names, strings.TrimPrefix(is["$ref"].(string), "#/$defs/"), is)
	}
	slices.Sort(names)
	return names
}

func (s *schemaFile) fields(names []string, at string, is map[string]any) []string {
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
