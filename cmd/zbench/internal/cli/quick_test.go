package cli

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func TestQuickJSON(t *testing.T) {
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, Main([]string{"quick", "--json", "--sizes", "8", "--messages", "100", "--repeat", "2"}, &out, &errs))
	require.Empty(t, errs.String())

	data, err := record.Load(&out, "-")
	require.NoError(t, err)
	require.Len(t, data.Envs, 1)
	require.NotEmpty(t, data.Envs[0].Libzmq)
	cells := map[string]int{}
	for _, c := range data.Cells() {
		cells[c.Verb+" "+c.Impl]++
		runs := data.Of(c)
		require.Len(t, runs, 2)
		for _, r := range runs {
			require.Positive(t, r.NsPerMessage())
			require.Equal(t, data.Envs[0].ID, r.Env)
		}
	}
	require.Equal(t, map[string]int{"thr go": 5, "thr c": 5, "lat go": 3}, cells)
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
