package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWindows exchanges messages over tcp with CURVE between a program for Windows, under
// wine, and pyzmq on Linux. Each of them is once the server.
func TestWindows(t *testing.T) {
	wine := os.Getenv("GOZMQ_WINE") // runs a program for Windows
	if wine == "" {
		t.Skip("run it with: LANES=windows scripts/check.sh builds")
	}
	program := filepath.Join(t.TempDir(), "windows.exe")
	build := exec.Command("go", "build", "-o", program, "./testdata/windows")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	windows := []string{wine, program}
	linux := []string{python(t), "wine_peer.py"}
	for name, sides := range map[string][2][]string{"server": {windows, linux}, "client": {linux, windows}} {
		t.Run(name, func(t *testing.T) {
			ctx := testContext(t)
			serverKeys, clientKeys := certificate(t), certificate(t)
			run := func(side []string, arguments ...string) *peer {
				return start(t, ctx, side[0], append(side[1:len(side):len(side)], arguments...)...)
			}
			server := run(sides[0], "echo", serverKeys.Secret)
			endpoint := strings.TrimPrefix(server.expect("ready "), "ready ")
			client := run(sides[1], "ask", endpoint, serverKeys.Public, clientKeys.Public, clientKeys.Secret)
			client.expect("done")
			server.expect("done")
		})
	}
}
