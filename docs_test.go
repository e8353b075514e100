package gozmq_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/ko/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		all = append(all, found...)
	}
	require.NotEmpty(t, all)
	return all
}

// A reader looks at the first pages only, so these documents stay short.
func TestDocumentsAreShort(t *testing.T) {
	t.Parallel()
	for path, most := range map[string]int{
		"README.md": 140, "BENCHMARKS.md": 200, "CONTRIBUTING.md": 80, "docs/guide.md": 650,
		"README.ko.md": 140, "docs/ko/benchmarks.md": 200, "docs/ko/guide.md": 650,
	} {
		assert.LessOrEqual(t, strings.Count(document(t, path), "\n"), most, "lines of %s", path)
	}
}

var (
	generated = regexp.MustCompile(`(?ms)^<!-- table.*?^<!-- end -->$`)
	notWords  = regexp.MustCompile(`\]\([^)]*\)|<!--.*?-->`)
	endOf     = regexp.MustCompile(`[.!?:][*]*\s|[|]|\n\s*[-*] |\n\n`)
	word      = regexp.MustCompile(`[A-Za-z0-9][\w'’.,-]*`)
)

// A sentence has at most 25 words. A colon ends one, and so does the cell of a table.
func TestSentencesAreShort(t *testing.T) {
	t.Parallel()
	const most = 25
	for _, path := range []string{
		"README.md", "BENCHMARKS.md", "docs/guide.md", "docs/troubleshooting.md", "docs/testing.md", "docs/features.md",
		"docs/migration.md", "docs/migration-netmq.md", "docs/migration-pyzmq.md", "docs/upstream.md",
	} {
		text := fenced.ReplaceAllString(generated.ReplaceAllString(document(t, path), ""), "")
		text = codeSpan.ReplaceAllString(notWords.ReplaceAllString(text, ""), "x")
		for _, sentence := range endOf.Split(text, -1) {
			assert.LessOrEqual(t, len(word.FindAllString(sentence, -1)), most, "%s: %s", path, sentence)
		}
	}
}

// A fact is a number that stands in several files.
type fact struct {
	name string
	says []place
}

// A place is a file, or a pattern for files, and an expression whose group is the number
// there. All space is one blank, and a line of a comment does not begin with slashes.
type place struct{ path, pattern string }

var facts = []fact{
	{"receivers that wait in the test", []place{
		{"zmq/*_test.go", `func TestParkedReceiversCostNoThreads.*?(\d{4})`},
		{"README.md", `with ([\d,]+) blocked receivers`},
		{"docs/testing.md", `an OS thread \| ([\d,]+) of them share`},
	}},
	{"their threads", []place{
		{"zmq/*_test.go", `, (\d+), "OS threads"`},
		{"README.md", `fewer than (\d+) threads`},
		{"docs/testing.md", `fewer than (\d+) threads`},
	}},
	{"messages read ahead", []place{
		{"internal/core/*.go", `aheadMost = (\d+) `},
		{"docs/guide.md", `it takes up to (\d+) small messages`},
		{"docs/testing.md", `reading ahead among up to (\d+)`},
		{"CHANGELOG.md", `read ahead: up to (\d+) small messages`},
	}},
	{"microseconds of spinning", []place{
		{"internal/park/*.go", `maxTime += (\d+) \* time.Microsecond`},
		{"BENCHMARKS.md", `spins for at most (\d+) µs`},
		{"docs/design.md", `for at most (\d+) µs`},
	}},
	{"seconds of linger", []place{
		{"internal/core/*.go", `DefaultLinger = (\d+) \* time.Second`},
		{"zmq/context.go", `at most (one) second, so that an absent peer`},
		{"zmq/options.go", `never set, the socket lingers for (one) second`},
		{"zmq/context_options.go", `they linger for (one) second`},
		{"docs/migration.md", `keeps unsent messages for (one) second after`},
		{"docs/migration-pyzmq.md", `linger period is (one) second by default`},
		{"docs/troubleshooting.md", `linger, (one) second by default`},
		{"docs/design.md", `linger is (one) second unless set`},
	}},
	{"default HWM", []place{
		{"zmq/options*.go", `goName: "RecvHWM", .*? def: (\d+),`},
		{"README.md", `high-water mark \(HWM\) of (\d+)`},
		{"BENCHMARKS.md", `high-water mark \(HWM\) of (\d+)`},
		{"docs/guide.md", `in messages per peer, (\d+) by default`},
		{"docs/migration-netmq.md", `the default is (\d+) messages`},
	}},
	{"oldest libzmq", []place{
		{"README.md", `runs on libzmq ([\d.]+) and newer`},
		{"README.md", `\| libzmq \| ([\d.]+) and newer`},
		{"CHANGELOG.md", `libzmq ([\d.]+) or newer is loaded`},
		{"docs/stability.md", `libzmq: ([\d.]+) and newer`},
		{"docs/testing.md", `any libzmq from ([\d.]+) on`},
		{"docs/design.md", `every libzmq from ([\d.]+) on`},
		{"docs/migration.md", `libzmq ([\d.]+) or later`},
	}},
	{"oldest Go", []place{
		{"go.mod", ` go (\d+\.\d+)`},
		{"README.md", `Go (\d+\.\d+) or newer`},
	}},
	{"KiB of a shared buffer", []place{
		{"zmq/*.go", `small Message can keep (\d+) KiB`},
		{"docs/guide.md", `share a buffer of (\d+) KiB`},
		{"docs/troubleshooting.md", `share a buffer of (\d+) KiB`},
		{"docs/safety.md", `the (\d+) KiB buffers`},
	}},
	{"bytes of a small message", []place{
		{"docs/guide.md", `Parts of more than (\d+) bytes`},
		{"docs/safety.md", `Messages of up to (\d+) bytes have no such memory`},
		{"docs/upstream.md", `a message of more than (\d+) bytes over inproc`},
		{"BENCHMARKS.md", `no copy above (\d+) bytes`},
	}},
	{"messages in a batch of the benchmarks", []place{
		{"bench/workload/*.go", `recvBatch = (\d+) `},
		{"BENCHMARKS.md", `one call into C for up to (\d+) messages`},
	}},
	{"messages in a run", []place{
		{"bench/workload/*.go", `DefaultMessages = ([\d_]+) `},
		{"BENCHMARKS.md", `sends ([\d,]+) messages per run`},
	}},
	{"bytes below which a pool copies", []place{
		{"pool/*.go", `copyBelow = (\d+) `},
		{"docs/design.md", `Parts of a pool below (\d+) bytes`},
	}},
}

// A number that stands in several files is the same in all of them.
func TestFactsAgree(t *testing.T) {
	t.Parallel()
	for _, f := range facts {
		said := map[string][]string{}
		for _, p := range f.says {
			var words []string
			files, err := filepath.Glob(p.path)
			require.NoError(t, err)
			for _, file := range files {
				words = append(words, strings.Fields(strings.ReplaceAll(document(t, file), "\t// ", ""))...)
			}
			found := regexp.MustCompile(p.pattern).FindAllStringSubmatch(strings.Join(words, " "), -1)
			assert.NotEmpty(t, found, "%s: %s does not say %q: change the text, or the pattern in facts", f.name, p.path, p.pattern)
			for _, match := range found {
				number := strings.NewReplacer(",", "", "_", "", "one", "1").Replace(match[1])
				said[number] = append(said[number], p.path)
			}
		}
		assert.Len(t, said, 1, f.name)
	}
}

// The metrics in the guide are those of the collector for Prometheus.
func TestMetricsOfTheGuideExist(t *testing.T) {
	t.Parallel()
	collector := document(t, "examples/prometheus/collector.go")
	names := regexp.MustCompile("(?m)^\\| `zmq_(\\w+)` \\| `(\\w+)` \\|").FindAllStringSubmatch(document(t, "docs/guide.md"), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		assert.Regexp(t, `"`+name[1]+`", .* return s\.`+name[2]+` `, collector)
	}
}

var tableBlock = regexp.MustCompile(`(?m)^<!-- (table|plot|figures) (\S+) (\S+) -->\n((?s:.*?))^<!-- end -->$`)

// Tables with the same name have the same results, and are the same.
func TestTablesAgree(t *testing.T) {
	t.Parallel()
	first := map[string]string{}
	for _, path := range documents(t) {
		for _, match := range tableBlock.FindAllStringSubmatch(document(t, path), -1) {
			kind, name, results := match[1], match[2], match[3]
			if kind != "table" {
				continue // figures have words around them
			}
			same := filepath.Base(results) + match[4]
			if before, ok := first[name]; ok {
				assert.Equal(t, before, same, "the table %s in %s", name, path)
			}
			first[name] = same
		}
	}
	require.Contains(t, first, "summary")
}

var (
	link    = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	heading = regexp.MustCompile(`(?m)^(#+) (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// Links lead to files and headings that exist.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, path := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(document(t, path), -1) {
			target := path
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(path), match[1])
			}
			if _, err := os.Stat(target); !assert.NoError(t, err, path) || match[2] == "" {
				continue
			}
			assert.Contains(t, anchors(document(t, target)), match[2], "%s links to %s", path, target)
		}
	}
}

// anchors returns GitHub's names of the headings of a text.
func anchors(text string) (names []string) {
	for _, match := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(match[2]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
