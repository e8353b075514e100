package result_test

import (
	"context"
	_ "embed" // for the page around the page
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/frame.html
var frameText string

var frameTemplate = template.Must(template.New("frame").Parse(frameText))

// screens are the widths, in pixels, at which pages are checked.
var screens = map[string]int{"desktop": 1280, "phone": 390}

// smallest is the height in pixels below which letters cannot be read.
const smallest = 8

// limit is for the start of a browser, on a machine that does much else.
const limit = 2 * time.Minute

// seenPage is what a page looks like on a screen.
type seenPage struct {
	Width    int      // that the page takes
	Beyond   []string // what reaches beyond the screen, and cannot be scrolled to by itself
	Text     int      // letters
	Small    []string // texts that are too small to be read
	Smallest float64  // height of letters, in pixels
	Asked    []string // what the page asked a network for
	First    string   // texts of the first screen
	Pictures int
}

// names are those of the program, on one system or the other.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// checkPage opens a page at all screens and checks that it can be read there, and that first
// is on the first screen. Without a Chromium the test is skipped.
func checkPage(t *testing.T, page []byte, pictures int, first ...string) {
	t.Helper()
	for screen, width := range screens {
		seen := look(t, page, width)
		require.LessOrEqual(t, seen.Width, width, "%s: the page is wider than the screen", screen)
		require.Empty(t, seen.Beyond, "%s: reaches beyond the screen", screen)
		require.Empty(t, seen.Small, "%s: cannot be read", screen)
		require.Empty(t, seen.Asked, "%s: asked for", screen)
		require.Greater(t, seen.Text, 100, "%s: the page is empty", screen)
		require.Equal(t, pictures, seen.Pictures, "%s: pictures", screen)
		for _, text := range first {
			require.Contains(t, seen.First, text, "%s: the first screen", screen)
		}
	}
}

// look opens the page in a frame of that width: the browser's own windows cannot be as
// narrow as a phone. Without a Chromium the test is skipped.
func look(t *testing.T, page []byte, width int) (seen seenPage) {
	t.Helper()
	program := ""
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("there is no Chromium here: ", strings.Join(names, ", "))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "frame.html")
	var frame strings.Builder
	require.NoError(t, frameTemplate.Execute(&frame, map[string]any{"Page": string(page), "Width": width, "Smallest": smallest}))
	require.NoError(t, os.WriteFile(file, []byte(frame.String()), 0o600))

	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1400,900", "--virtual-time-budget=10000",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", "file://"+file)
	c.WaitDelay = limit
	out, err := c.Output()
	require.NoError(t, err, "%s: %s", program, out)
	_, text, _ := strings.Cut(string(out), `<pre id="seen">`)
	text, _, found := strings.Cut(text, "</pre>")
	require.True(t, found && text != "", "the browser did not look at the page: %s", shortened(out))
	require.NoError(t, json.Unmarshal([]byte(unescape.Replace(text)), &seen), text)
	return seen
}

// unescape undoes what the browser does to text that it prints as HTML.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&nbsp;", " ")

func shortened(out []byte) string { return fmt.Sprintf("%.2000s", out) }
