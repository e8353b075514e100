package main

import (
	"strings"
	"testing"
)

func TestCounter(t *testing.T) {
	tests := []struct {
		name                    string
		input                   string
		passed, failed, skipped int
		output                  string
	}{
		{
			name: "tests that pass are counted and not shown",
			input: `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"run","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`,
			passed: 2,
			output: "ok  \tp\t0.1s\n",
		},
		{
			name: "a failure and a skip are shown with their output",
			input: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"a_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"b_test.go:1: no IPv6\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			failed:  1,
			skipped: 1,
			output:  "a_test.go:1: wrong\nb_test.go:1: no IPv6\nFAIL\tp\t0.1s\n",
		},
		{
			name: "a test that fails in one round of several is shown",
			input: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"a_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			passed: 2,
			failed: 1,
			output: "a_test.go:1: wrong\nFAIL\tp\t0.1s\n",
		},
		{
			name: "a crash fails the test that it cut short",
			input: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"SIGABRT\n"}
{"Action":"fail","Package":"p"}
`,
			passed: 1,
			failed: 1,
			output: "SIGABRT\n",
		},
		{
			name: "a package that fails at its end counts once",
			input: `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"LeakSanitizer: 1 leak\n"}
{"Action":"fail","Package":"p"}
`,
			passed: 1,
			failed: 1,
			output: "LeakSanitizer: 1 leak\n",
		},
		{
			name: "a package that does not compile",
			input: `{"ImportPath":"p [p.test]","Action":"build-output","Output":"# p [p.test]\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}
`,
			failed: 1,
			output: "# p [p.test]\nFAIL\tp [build failed]\n",
		},
		{
			name: "the go command was killed, after a line of its own",
			input: `go: warning
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA"}`,
			passed: 1,
			failed: 1,
			output: "go: warning\nFAIL\tp [no end reported]\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			c := counter{out: &out}
			if err := c.read(strings.NewReader(test.input)); err != nil {
				t.Fatal(err)
			}
			if c.passed != test.passed || c.failed != test.failed || c.skipped != test.skipped {
				t.Errorf("counted %d passed, %d failed, %d skipped; want %d, %d, %d",
					c.passed, c.failed, c.skipped, test.passed, test.failed, test.skipped)
			}
			if out.String() != test.output {
				t.Errorf("shown: %q; want %q", out.String(), test.output)
			}
		})
	}
}

func TestRecall(t *testing.T) {
	input := `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestB","Output":"SIGABRT\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
{"Action":"output","Package":"q","Output":"LeakSanitizer: 1 leak\n"}
{"Action":"fail","Package":"q"}
`
	for range 20 {
		input += `{"Action":"output","Package":"r","Test":"TestC","Output":"and on\n"}` + "\n"
	}
	input += `{"Action":"output","Package":"r","Test":"TestC","Output":"` + strings.Repeat("l", 1000) + `\n"}
{"Action":"fail","Package":"r","Test":"TestC"}
{"Action":"fail","Package":"r"}
`
	var out strings.Builder
	c := counter{out: &out}
	if err := c.read(strings.NewReader(input)); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	c.recall()
	want := "failed: p TestA\n    a_test.go:1: wrong\nfailed: p TestB\n    SIGABRT\n" +
		"failed: q \n    LeakSanitizer: 1 leak\nfailed: r TestC\n" +
		strings.Repeat("    and on\n", recalledLines-1) + "    " + strings.Repeat("l", shownLine) + " ...\n"
	if out.String() != want {
		t.Errorf("shown: %q; want %q", out.String(), want)
	}
}
