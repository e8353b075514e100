package main_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/cli"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// Two hosts measure against an echo on a third one, at the same time, without anything
// that coordinates them. The report adds them up. On this machine hosts are processes and,
// where root allows, also network namespaces.
func TestHosts(t *testing.T) {
	t.Parallel()
	t.Run("processes", func(t *testing.T) {
		t.Parallel()
		measureHosts(t, "127.0.0.1", func(_ int, words ...string) []string { return words })
	})
	t.Run("namespaces", func(t *testing.T) {
		t.Parallel()
		in := namespaces(t, 3)
		measureHosts(t, "10.99.0.1", func(host int, words ...string) []string {
			return append([]string{"ip", "netns", "exec", in[host]}, words...)
		})
	})
}

// namespaces makes network namespaces with a bridge in the first, 10.99.0.1, and the
// others connected to it.
func namespaces(t *testing.T, n int) (names []string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("network namespaces need iproute2")
	}
	ip := func(words ...string) {
		out, err := exec.Command("ip", words...).CombinedOutput()
		require.NoError(t, err, "ip %v: %s", words, out)
	}
	for i := range n {
		name := fmt.Sprintf("zbench%d-%d", os.Getpid(), i)
		if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
			t.Skipf("no network namespaces here: %s", out)
		}
		t.Cleanup(func() { ip("netns", "del", name) })
		names = append(names, name)
	}
	device := "bridge"
	if out, err := exec.Command("ip", "-n", names[0], "link", "add", device, "type", "bridge").CombinedOutput(); err != nil {
		t.Skipf("no bridges here: %s", out)
	}
	for i, name := range names {
		if i > 0 {
			device = "eth"
			ip("-n", name, "link", "add", device, "type", "veth", "peer", "name", fmt.Sprint("host", i), "netns", names[0])
			ip("-n", names[0], "link", "set", fmt.Sprint("host", i), "master", "bridge", "up")
		}
		ip("-n", name, "addr", "add", fmt.Sprintf("10.99.0.%d/24", i+1), "dev", device)
		ip("-n", name, "link", "set", device, "up")
	}
	return names
}

// measureHosts measures with an echo on host 0. on returns the command that runs on a host.
func measureHosts(t *testing.T, address string, on func(host int, words ...string) []string) {
	t.Helper()
	zbench, err := exec.LookPath("zbench")
	require.NoError(t, err)
	start := func(host int, report io.Writer, words ...string) (wait func() error) {
		words = on(host, append([]string{zbench}, words...)...)
		cmd := exec.Command(words[0], words[1:]...)
		var out bytes.Buffer
		both := io.MultiWriter(&out, report)
		cmd.Stdout, cmd.Stderr = both, both
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // unless it has ended
			if t.Failed() {
				t.Logf("%v: %s", words, out.String())
			}
		})
		return cmd.Wait
	}
	said, saying := io.Pipe()
	defer said.Close()
	echo := start(0, saying, "echo", "-e", "tcp://"+address+":*")
	go func() {
		_ = echo() // it is killed
		saying.Close()
	}()
	endpoint := ""
	for lines := bufio.NewScanner(said); endpoint == "" && lines.Scan(); {
		_, endpoint, _ = strings.Cut(lines.Text(), "listening on ")
	}
	require.NotEmpty(t, endpoint)
	go func() { _, _ = io.Copy(io.Discard, said) }()
	begin := time.Now().Add(4 * time.Second).Truncate(time.Second).Format(time.RFC3339)
	dir := t.TempDir()
	var hosts sync.WaitGroup
	var files []string
	for host := 1; host <= 2; host++ {
		file := filepath.Join(dir, fmt.Sprintf("host%d.jsonl", host))
		files = append(files, file)
		wait := start(host, io.Discard, "lat", "-e", endpoint, "--rate", "1k", "-d", "3s", "-r", "2", "--start-at", begin, "-o", file)
		hosts.Go(func() { _ = wait() }) // it is saturated if the machine stalls
	}
	hosts.Wait()

	parts := make([]*record.Data, len(files))
	for i, file := range files {
		parts[i], err = record.Load(nil, file)
		require.NoError(t, err)
	}
	all, err := record.Load(nil, files...)
	require.NoError(t, err)
	_, err = all.MergeHosts(2)
	require.NoError(t, err)
	require.Len(t, all.Runs, 2, "the repeats")
	for i, r := range all.Runs {
		require.Equal(t, 2000.0, r.Cell.Rate)
		require.Equal(t, parts[0].Runs[i].Messages+parts[1].Runs[i].Messages, r.Messages)
		for _, p := range record.Percentiles {
			a, b := parts[0].Runs[i].Main().Percentile(p), parts[1].Runs[i].Main().Percentile(p)
			require.GreaterOrEqual(t, r.Main().Percentile(p), min(a, b), "p%v", p)
			require.LessOrEqual(t, r.Main().Percentile(p), max(a, b), "p%v", p)
		}
	}
	var out, problems bytes.Buffer
	require.Equal(t, 3, cli.Main(append([]string{"report", "--expect", "3"}, files...), &out, &problems))
	require.Contains(t, problems.String(), "zbench: missing: 1 of 3 hosts\n")
	require.Contains(t, out.String(), "2 senders")
	require.Contains(t, out.String(), "offered 2.00 k")
}
