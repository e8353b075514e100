package gozmq_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var apiReport = flag.Bool("api-report", false, "print what of libzmq is bound, and by what")

// An item is a line of docs/libzmq-api.txt.
type item struct{ kind, name, status, instead string }

func libzmqAPI(t *testing.T) (items []item) {
	t.Helper()
	for _, line := range strings.Split(read(t, "docs/libzmq-api.txt"), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		line, instead, _ := strings.Cut(line, " = ")
		fields := strings.Fields(line)
		require.Len(t, fields, 3, "docs/libzmq-api.txt: %s", line)
		items = append(items, item{fields[0], fields[1], fields[2], instead})
	}
	return items
}

// A documented is an exported name and its documentation.
type documented struct{ name, text string }

// publicPackages returns the packages of the root module that docs/stability.md promises: all
// that other modules can import, without what only measures and proves.
func publicPackages(t *testing.T) (dirs []string) {
	t.Helper()
	const module = "github.com/go-zmq/go-zmq/"
	excluded := regexp.MustCompile(`^(bench|test|examples|tools|scripts)/|(^|/)(internal|testdata)/`)
	for line := range strings.Lines(run(t, "go", "list", "-f", "{{.Name}} {{.ImportPath}}/ {{len .GoFiles}}", "./...")) {
		fields := strings.Fields(line)
		dir, inside := strings.CutPrefix(fields[1], module)
		if inside && fields[0] != "main" && fields[2] != "0" && !excluded.MatchString(dir) {
			dirs = append(dirs, strings.TrimSuffix(dir, "/"))
		}
	}
	require.Contains(t, dirs, "zmq")
	return dirs
}

// exported returns the names that these packages export.
func exported(t *testing.T) (all []documented) {
	t.Helper()
	for _, dir := range publicPackages(t) {
		pkg := packageDoc(t, dir)
		add := func(name, text string) {
			all = append(all, documented{pkg.Name + "." + name, text})
		}
		values := func(groups []*doc.Value) {
			for _, v := range groups {
				for _, s := range v.Decl.Specs {
					spec := s.(*ast.ValueSpec)
					// In a group, a line has its own comment or that of the group.
					text := spec.Doc.Text() + spec.Comment.Text()
					for _, name := range spec.Names {
						if name.IsExported() {
							add(name.Name, text+v.Doc)
						}
					}
				}
			}
		}
		functions := func(of string, list []*doc.Func) {
			for _, f := range list {
				add(of+f.Name, f.Doc)
			}
		}
		values(pkg.Consts)
		values(pkg.Vars)
		functions("", pkg.Funcs)
		for _, typ := range pkg.Types {
			add(typ.Name, typ.Doc)
			values(typ.Consts)
			values(typ.Vars)
			functions("", typ.Funcs)
			functions(typ.Name+".", typ.Methods)
		}
	}
	return all
}

func packageDoc(t *testing.T, dir string) *doc.Package {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, dir)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(set, files, dir)
	require.NoError(t, err)
	return pkg
}

var libzmqName = regexp.MustCompile(`\b(zmq_[a-z0-9_]+|ZMQ_[A-Z0-9_]+)\b`)

// The documentation of some exported name mentions each function, option and event of
// libzmq's stable API, unless something else replaces it. No documentation mentions a name
// that libzmq does not have.
func TestAPIReport(t *testing.T) {
	t.Parallel()
	by := map[string][]string{}
	for _, e := range exported(t) {
		for _, name := range libzmqName.FindAllString(e.text, -1) {
			if !slices.Contains(by[name], e.name) {
				by[name] = append(by[name], e.name)
			}
		}
	}
	names := map[string]string{}
	for _, e := range exported(t) {
		names[e.name] = e.name
	}
	known := map[string]bool{}
	var missing []string
	for _, i := range libzmqAPI(t) {
		known[i.name] = true
		how := strings.Join(by[i.name], ", ")
		if i.kind == "event" {
			how = names["zmq."+eventName(i.name)]
		}
		if how == "" {
			how = i.instead
		}
		if how == "" {
			how = "MISSING"
			missing = append(missing, i.name)
		}
		if *apiReport {
			fmt.Printf("%-8s  %-38s %-6s  %s\n", i.kind, i.name, i.status, how)
		}
	}
	require.Empty(t, missing, "of libzmq's API; bind it, and name it in the documentation of what does, or say in docs/libzmq-api.txt what takes its place")
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if !known[name] && !otherName(name) {
			require.Fail(t, "unknown name", "%s in the documentation of %v is in no line of docs/libzmq-api.txt", name, by[name])
		}
	}
}

// eventName returns the Go name of an event of libzmq.
func eventName(name string) string {
	here := "Event"
	for _, word := range strings.Split(strings.TrimPrefix(name, "ZMQ_EVENT_"), "_") {
		here += word[:1] + strings.ToLower(word[1:])
	}
	return here
}

// otherName reports whether a name that looks like one of libzmq's is not a function,
// option or event.
func otherName(name string) bool {
	return slices.Contains([]string{"zmq_link", "zmq_static", "zmq_poll_portable", "zmq_msg_t", "ZMQ_SHARED", "ZMQ_MORE"}, name) ||
		strings.HasPrefix(name, "ZMQ_POLL") || strings.HasPrefix(name, "ZMQ_NOTIFY_") || strings.HasPrefix(name, "ZMQ_RECONNECT_STOP_") ||
		strings.HasPrefix(name, "ZMQ_GSSAPI_NT_") || strings.HasPrefix(name, "ZMQ_PROTOCOL_ERROR_")
}

// Every exported name is documented.
func TestExportedNamesAreDocumented(t *testing.T) {
	t.Parallel()
	for _, e := range exported(t) {
		if strings.TrimSpace(e.text) == "" {
			t.Errorf("%s has no documentation", e.name)
		}
	}
}

// Package zmq stays small: exported names, without constants and variables of options, and
// the methods of Socket.
func TestExportedNamesStayFew(t *testing.T) {
	t.Parallel()
	pkg := packageDoc(t, "zmq")
	names := len(pkg.Funcs)
	for _, v := range pkg.Vars {
		for _, name := range v.Names {
			if strings.HasPrefix(name, "Err") && ast.IsExported(name) {
				names++
			}
		}
	}
	for _, typ := range pkg.Types {
		names += 1 + len(typ.Funcs) + len(typ.Methods)
		for _, v := range typ.Vars {
			for _, name := range v.Names {
				if strings.HasPrefix(name, "Err") && ast.IsExported(name) {
					names++
				}
			}
		}
		if typ.Name == "Socket" {
			require.LessOrEqual(t, len(typ.Methods), 53, "methods of Socket")
			t.Log("methods of Socket:", len(typ.Methods))
		}
	}
	t.Log("exported names:", names)
	require.LessOrEqual(t, names, 200, "exported names besides options and constants")
}
