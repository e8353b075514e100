//go:build linux

package account_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var exchangeFor = flag.Duration("exchange", 0, "how long TestAccountExchange sends, 50 messages per stream and two seconds; 0: 1000 messages per stream, as fast as possible")

// The rate of a stream, which keeps a processor busy for a quarter of the time under wine.
const (
	exchangeBurst = 50
	exchangeEvery = 2 * time.Second
)

// Two processes send each other the messages of every pattern in every way, all at the same time.
// With GOZMQ_WINE, the child is a program for Windows under wine.
func TestAccountExchange(t *testing.T) {
	program := exchangeProgram(t)
	var jobs []job
	for _, c := range cells {
		if _, ok := duties[c.pattern]; !ok {
			continue
		}
		for way := range c.shares {
			for _, collects := range []bool{false, true} {
				j := job{ID: uint32(len(jobs)), Pattern: c.pattern, Way: way, Collects: collects, Messages: 1000}
				if *exchangeFor > 0 {
					j.Burst, j.Every = exchangeBurst, exchangeEvery
					j.Messages = exchangeBurst * int(*exchangeFor/exchangeEvery)
				}
				jobs = append(jobs, j)
			}
		}
	}
	output, here, child := exchange(t, jobs, program)
	require.NoError(t, here, output)
	require.NoError(t, child, output)
	t.Logf("%d streams, each of %d messages, with %s", len(jobs), jobs[0].Messages, filepath.Base(program[len(program)-1]))
}

// The process that receives a message which was lost, doubled or damaged notices it.
func TestAccountExchangeNoticesFaults(t *testing.T) {
	program := exchangeProgram(t)
	for _, harm := range []string{"lost", "doubled", "corrupt"} {
		for _, collects := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/child collects %v", harm, collects), func(t *testing.T) {
				jobs := []job{{Pattern: "PUSH-PULL", Way: plain, Messages: 100, Collects: collects, Harm: harm}}
				output, here, child := exchange(t, jobs, program)
				want := "1 " + harm
				if collects {
					require.Error(t, child)
					require.Contains(t, output, want)
				} else {
					require.ErrorContains(t, here, want)
				}
			})
		}
	}
}

// exchangeProgram returns the command line of the other process.
func exchangeProgram(t *testing.T) []string {
	t.Helper()
	wine := os.Getenv("GOZMQ_WINE") // runs a program for Windows
	if wine == "" {
		return []string{os.Args[0]}
	}
	program := filepath.Join(t.TempDir(), "account.test.exe")
	build := exec.Command("go", "test", "-c", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return []string{wine, program}
}

// exchange does one side of the jobs here and the other in a child. It returns what
// the child printed, and the errors of both.
func exchange(t *testing.T, jobs []job, program []string) (printed string, here, child error) {
	t.Helper()
	p := newPool(t) // its buffers are back when the context is closed
	zctx := newContext(t)
	works := make([]func(context.Context) error, len(jobs))
	for i := range jobs {
		s, work := jobs[i].open(t, zctx, p, jobs[i].Collects)
		jobs[i].Endpoint = bind(t, s, endpointOf("tcp"))
		works[i] = work
	}
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	require.NoError(t, err)
	defer output.Close()
	process := start(t, jobs, output, program...)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := make(chan error, 1)
	go func() {
		err := process.Wait()
		if err != nil {
			cancel(err)
		}
		ended <- err
	}()
	here = workAll(ctx, jobs, works)
	if here != nil {
		_ = process.Process.Kill() // it may wait for messages
	}
	child = <-ended
	text, err := os.ReadFile(output.Name())
	require.NoError(t, err)
	return strings.TrimSpace(string(text)), here, child
}
