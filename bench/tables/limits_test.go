package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostCode is how many lines of code the tool has at most, without tests, empty lines and
// comments.
const mostCode = 1000

func TestToolStaysSmall(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				code++
			}
		}
	}
	if code == 0 || code > mostCode {
		t.Errorf("%d lines of code, at most %d are allowed", code, mostCode)
	}
}
