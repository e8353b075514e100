package libzmq

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil"
)

func TestMain(m *testing.M) {
	if asked := os.Getenv("GOZMQ_TEST_LOAD"); asked != "" {
		if err := Load(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(Version())
		for capability := range strings.SplitSeq(asked, ",") {
			fmt.Println(capability, Has(capability))
		}
		return
	}
	testutil.Main(m)
}

// load runs Load in a process of its own, with another library, and returns what
// it printed.
func load(t *testing.T, library string, env ...string) (string, error) {
	t.Helper()
	return loadWith(t, os.Args[0], library, env...)
}

func loadWith(t *testing.T, program, library string, env ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(append(os.Environ(), "GOZMQ_TEST_LOAD=guard", LibraryVariable+"="+library), env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func TestFloor(t *testing.T) {
	for _, c := range []struct {
		v   [3]int
		old bool
	}{
		{[3]int{4, 3, 0}, false},
		{[3]int{4, 3, 5}, false},
		{[3]int{4, 2, 9}, true},
		{[3]int{3, 9, 9}, true},
		{[3]int{5, 0, 0}, false},
	} {
		require.Equal(t, c.old, olderThan(c.v, 4, 3, 0), "%v", c.v)
	}
}
