package gozmq_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The tables of docs/safety.md name a test for each row. Here they are held against
// the tests that there are, and those against the tables.

const safetyFile = "docs/safety.md"

// deathTests are the tests of many rows, by the short names that the tables use. Each
// runs a list, of which a row names an element: "Death/09" is what TestDeath runs that
// begins with "09 ".
var deathTests = map[string]string{
	"Death": "TestDeath", "Limits": "TestDeathAtLimits", "Drafts": "TestDeathOfDrafts",
	"System": "TestDeathOfSystem", "Militance": "TestDeathOfMilitance", "Proxy": "TestProxyDeath",
}

// A row of a table whose last column names tests.
type safetyRow struct {
	name  string // its first cell
	tests []string
}

func safetyRows(t *testing.T, text string) []safetyRow {
	t.Helper()
	var rows []safetyRow
	in := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		last := strings.TrimSpace(cells[len(cells)-1])
		switch {
		case !strings.HasPrefix(line, "|"):
			in = false
		case last == "test":
			in = true
		case in && strings.Trim(last, "-") != "":
			row := safetyRow{name: strings.TrimSpace(cells[0])}
			for test := range strings.SplitSeq(last, ",") {
				row.tests = append(row.tests, strings.Trim(strings.TrimSpace(test), "`"))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// testFiles parses the files with tests in a directory, whatever they are built for, and
// returns them by their paths.
func testFiles(t *testing.T, root string) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (path == "build" || path == ".git" || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files[path] = file
		return err
	})
	require.NoError(t, err)
	return files
}

// declarations are the functions and variables of files, by their names.
func declarations(files map[string]*ast.File) map[string]ast.Node {
	found := map[string]ast.Node{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		for _, decl := range files[path].Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					found[d.Name.Name] = d
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						for _, name := range v.Names {
							found[name.Name] = v
						}
					}
				}
			}
		}
	}
	return found
}

// listed returns the first string of each element of the lists of a type that stand in
// node, or in what it names.
func listed(declared map[string]ast.Node, node ast.Node, of string) []string {
	var names []string
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if d := declared[n.Name]; d != nil && d != node {
				names = append(names, listed(map[string]ast.Node{}, d, of)...)
			}
		case *ast.CompositeLit:
			list, ok := n.Type.(*ast.ArrayType)
			if !ok {
				return true
			}
			if element, ok := list.Elt.(*ast.Ident); !ok || element.Name != of {
				return true
			}
			for _, e := range n.Elts {
				if e, ok := e.(*ast.CompositeLit); ok {
					if name, ok := e.Elts[0].(*ast.BasicLit); ok {
						text, _ := strconv.Unquote(name.Value)
						names = append(names, strings.ReplaceAll(text, " ", "-"))
					}
				}
			}
			return false
		}
		return true
	})
	return names
}

// deathsOf returns what each test of deathTests runs.
func deathsOf(declared map[string]ast.Node) map[string][]string {
	deaths := map[string][]string{}
	for _, test := range deathTests {
		if declared[test] == nil {
			continue
		}
		ast.Inspect(declared[test], func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "testDeaths" {
				deaths[test] = append(deaths[test], listed(declared, call.Args[1], "death")...)
			}
			return true
		})
	}
	return deaths
}

// begins reports whether an element of a list has the name that a row gives it.
func begins(list []string, name string) bool {
	return slices.ContainsFunc(list, func(element string) bool { return element == name || strings.HasPrefix(element, name+"-") })
}

// requireTest fails when there is no test of that name.
func requireTest(t *testing.T, row, test string, declared map[string]ast.Node, deaths map[string][]string) {
	t.Helper()
	name, element, isElement := strings.Cut(test, "/")
	if !isElement {
		require.Contains(t, declared, test, "row %q", row)
		return
	}
	require.Contains(t, deathTests, name, "row %q: the test %q", row, test)
	require.True(t, begins(deaths[deathTests[name]], element), "row %q: %s runs nothing that is called %q", row, deathTests[name], element)
}

// The number of a row in the names of tests, which have two digits.
func rowNumber(name string) string {
	number := strings.TrimSpace(strings.TrimSuffix(name, "†"))
	if len(strings.TrimRight(number, "abc")) == 1 {
		number = "0" + number
	}
	return number
}

func TestSafetyTables(t *testing.T) {
	text := read(t, safetyFile)
	all := declarations(testFiles(t, "."))
	declared := declarations(testFiles(t, "zmq"))
	deaths := deathsOf(declared)
	for name, test := range deathTests {
		require.NotEmpty(t, deaths[test], "%s runs nothing", name)
	}
	aborts := listed(nil, declarations(testFiles(t, "internal/libzmq"))["aborts"], "abort")
	require.NotEmpty(t, aborts)

	rows := safetyRows(t, text)
	require.Greater(t, len(rows), 50)
	var named []string
	for _, row := range rows {
		for _, test := range row.tests {
			requireTest(t, row.name, test, all, deaths)
		}
		named = append(named, row.tests...)
		if strings.HasSuffix(row.name, "†") {
			require.True(t, begins(aborts, rowNumber(row.name)), "row %q: TestAbort does not run it", row.name)
		}
	}
	// Conversely, each test that is run has its row.
	for short, test := range deathTests {
		for _, death := range deaths[test] {
			found := slices.ContainsFunc(named, func(name string) bool {
				prefix, element, ok := strings.Cut(name, "/")
				return ok && prefix == short && begins([]string{death}, element)
			})
			require.True(t, found, "no row names %s/%s", short, death)
		}
	}
	for _, abort := range aborts {
		number, _, _ := strings.Cut(abort, "-")
		require.True(t, slices.ContainsFunc(rows, func(r safetyRow) bool {
			return strings.HasSuffix(r.name, "†") && rowNumber(r.name) == number
		}), "no row with a † has the number of %q", abort)
	}
	// Tests that the text names exist as well.
	for _, test := range regexp.MustCompile("`(Test[A-Z][A-Za-z0-9]*)`").FindAllStringSubmatch(text, -1) {
		require.Contains(t, all, test[1])
	}
	// The rows of the list that this one grew from are all there.
	for number := 1; number <= 43; number++ {
		require.True(t, slices.ContainsFunc(rows, func(r safetyRow) bool {
			return strings.TrimRight(rowNumber(r.name), "abc") == fmt.Sprintf("%02d", number)
		}), "there is no row %d", number)
	}
}

// A table that names what is not there is found out.
func TestSafetyTablesFindFaults(t *testing.T) {
	rows := safetyRows(t, "| row | test |\n| --- | --- |\n| 1 † | Death/01, `TestDeath` |\n\n| a | b |\n| --- | --- |\n| c | Death/99 |\n")
	require.Equal(t, []safetyRow{{"1 †", []string{"Death/01", "TestDeath"}}}, rows)
	require.Equal(t, "01", rowNumber(rows[0].name))
	require.Equal(t, "16b", rowNumber("16b †"))
	require.Equal(t, "04b", rowNumber("4b"))

	path := filepath.Join(t.TempDir(), "x_test.go")
	require.NoError(t, os.WriteFile(path, []byte(`package x
var list = []death{{"01 one", nil}, {name(), nil}}
func more() []death { return []death{{"02 two", nil}} }
var unused = []death{{"03 three", nil}}
func TestDeath(t *testing.T) { testDeaths(t, slices.Concat(list, more())) }
`), 0o600))
	declared := declarations(testFiles(t, filepath.Dir(path)))
	deaths := deathsOf(declared)
	require.Equal(t, []string{"01-one", "02-two"}, deaths["TestDeath"])
	require.True(t, begins(deaths["TestDeath"], "02"))
	require.False(t, begins(deaths["TestDeath"], "0"))
	require.False(t, begins(deaths["TestDeath"], "03"))
}
