package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	count  = flag.Bool("valgrind", false, "count instructions with valgrind, which takes half a minute")
	update = flag.Bool("update", false, "with -valgrind: write bench/instructions.txt instead of comparing with it")
)

const tableFile = "../instructions.txt"

// No step takes 5 % more instructions than bench/instructions.txt says.
func TestInstructionsPerMessage(t *testing.T) {
	if !*count {
		t.Skip("runs with -valgrind")
	}
	now := table{madeWith: toolchain(t), counts: countWithValgrind(t)}
	if *update {
		var text bytes.Buffer
		require.NoError(t, now.write(&text))
		require.NoError(t, os.WriteFile(tableFile, text.Bytes(), 0o644))
		t.Log(text.String())
		return
	}
	old, err := readTable(tableFile)
	require.NoError(t, err)
	architecture := strings.TrimSuffix(strings.Fields(old.madeWith)[1], ",")
	require.Equal(t, architecture, runtime.GOARCH,
		"the table is of another architecture: write one here with -update, on the code to compare with, and do not commit it")
	var text bytes.Buffer
	err = old.check(now, &text)
	t.Log("\n" + text.String())
	require.NoError(t, err)
}

// toolchain returns the versions of the tools that the counts depend on.
func toolchain(t *testing.T) string {
	made := runtime.Version() + " " + runtime.GOARCH
	cc, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	version, err := exec.Command(strings.TrimSpace(string(cc)), "--version").Output()
	require.NoError(t, err)
	first, _, _ := strings.Cut(string(version), "\n")
	return made + ", " + first
}

// countWithValgrind builds and runs the program, and returns the instructions per message
// of each step.
func countWithValgrind(t *testing.T) map[string]float64 {
	dir := t.TempDir()
	program, profile := filepath.Join(dir, "instructions"), filepath.Join(dir, "profile")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	valgrind := exec.Command("valgrind", "--tool=callgrind", "--separate-threads=yes", "--dump-before=main.mark",
		"--compress-strings=no", "--compress-pos=no", "--callgrind-out-file="+profile, program)
	// Debug checks, threads on other processors and the garbage collector would be counted.
	valgrind.Env = append(os.Environ(), "GOZMQ_DEBUG=", "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
	out, err = valgrind.CombinedOutput()
	require.NoError(t, err, string(out))
	counts := map[string]float64{}
	for i, step := range plan() {
		if step == "" {
			continue
		}
		// Callgrind numbers its profiles from 1 and appends the number of the thread.
		n, err := ownCost(fmt.Sprintf("%s.%d-01", profile, i+1), program)
		require.NoError(t, err)
		per := float64(n) / messages
		if least, seen := counts[step]; !seen || per < least {
			counts[step] = per
		}
	}
	return counts
}
