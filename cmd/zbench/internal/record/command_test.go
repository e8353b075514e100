package record_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func TestLine(t *testing.T) {
	t.Parallel()
	p := record.Plan{Command: "lat", Flags: map[string]string{"slo": "p99<1ms", "size": "64,1KiB"}}
	require.Equal(t, "zbench lat --size=64,1KiB --slo='p99<1ms'", p.Line())
	p.Args = []string{"--slo=p99<1ms", "--slo=max<1s", "--sockopt=IPV6=1", "--size=64..64KiB*4", "--payload=it's $mine", "--topic="}
	require.Equal(t, `zbench lat --slo='p99<1ms' --slo='max<1s' --sockopt=IPV6=1 --size='64..64KiB*4' --payload='it'\''s $mine' --topic=''`, p.Line())

	// A shell takes it apart again.
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	out, err := exec.Command(shell, "-c", `zbench() { printf '%s\n' "$@"; }; `+p.Line()).Output()
	require.NoError(t, err)
	require.Equal(t, "lat\n--slo=p99<1ms\n--slo=max<1s\n--sockopt=IPV6=1\n--size=64..64KiB*4\n--payload=it's $mine\n--topic=\n", string(out))
}
