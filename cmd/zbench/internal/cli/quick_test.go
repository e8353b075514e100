package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuickJSON(t *testing.T) {
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, Main([]string{"quick", "--json", "--sizes", "8", "--messages", "100", "--repeat", "2"}, &out, &errs))
	require.Empty(t, errs.String())

	var kinds []string
	impls := map[string]int{}
	for l := range strings.Lines(out.String()) {
		var line struct {
			Schema, Kind, Mode, Impl, Libzmq string
			Ns                               float64   `json:"ns_per_msg"`
			Percent                          float64   `json:"percent_of_c"`
			Samples                          []float64 `json:"ns_per_msg_samples"`
		}
		require.NoError(t, json.Unmarshal([]byte(l), &line))
		require.Equal(t, "zbench/1", line.Schema)
		kinds = append(kinds, line.Kind)
		if line.Kind == "env" {
			require.NotEmpty(t, line.Libzmq)
			continue
		}
		impls[line.Impl]++
		require.Positive(t, line.Ns)
		require.Len(t, line.Samples, 2)
		if line.Impl == "c" {
			require.InDelta(t, 100, line.Percent, 1e-9)
		}
	}
	require.Equal(t, "env", kinds[0])
	require.Equal(t, map[string]int{"go": 5, "c": 5}, impls)
}

// A signal ends the work with the shell's code for it, within a measurement too.
func TestInterrupt(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	code := make(chan int)
	var errs bytes.Buffer
	go func() {
		defer w.Close()
		code <- Main([]string{"quick", "--repeat", "1000"}, w, &errs)
	}()
	// Its first line comes after it has begun to listen for signals.
	_, err = bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	require.Equal(t, 130, <-code)
	require.Contains(t, errs.String(), "stopped by signal: interrupt")
	_, err = io.Copy(io.Discard, r)
	require.NoError(t, err)
}

func TestSizes(t *testing.T) {
	t.Parallel()
	var s sizes
	require.NoError(t, s.Set("64, 1KiB,64KiB,3MiB,100B"))
	require.Equal(t, sizes{64, 1024, 65536, 3 << 20, 100}, s)
	require.Equal(t, "64,1KiB,64KiB,3MiB,100", s.String())
	for _, bad := range []string{"", "KiB", "-1", "1GiB", "1.5KiB", "64,", "4096MiB", "0x10"} {
		require.Error(t, s.Set(bad), bad)
	}
}
