package result_test

import (
	"bytes"
	"context"
	_ "embed" // for the page around the page
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

//go:embed testdata/frame.html
var frameText string

var frameTemplate = template.Must(template.New("frame").Parse(frameText))

// screen is how a page is looked at.
type screen struct {
	name  string
	width int // in pixels
	dark  bool
}

// screens are those at which pages are checked.
var screens = []screen{{"desktop", 1280, false}, {"phone", 390, false}, {"dark", 1280, true}}

const (
	desktop = 0 // of screens
	dark    = 2
)

const (
	// smallest is the height in pixels below which letters cannot be read.
	smallest = 8
	// contrast is the least one of text and its background (WCAG 2, level AA).
	contrast = 4.5
	// mostPages are the printed pages of a report with a handful of cells.
	mostPages = 3
)

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
	Faint    []string // texts without contrast to their background
	Dark     bool     // the page was told that dark colors are preferred
	Ground   float64  // luminance of the background, from 0 to 1
	Pictures int
}

// names are those of the program, on one system or the other.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// checkPage opens a page at all screens and checks that it can be read there, and that first
// is on the first screen. Without a Chromium the test is skipped.
func checkPage(t *testing.T, page []byte, pictures int, first ...string) {
	t.Helper()
	for _, screen := range screens {
		seen, name := look(t, page, screen), screen.name
		require.LessOrEqual(t, seen.Width, screen.width, "%s: the page is wider than the screen", name)
		require.Empty(t, seen.Beyond, "%s: reaches beyond the screen", name)
		require.Empty(t, seen.Small, "%s: cannot be read", name)
		require.Empty(t, seen.Faint, "%s: no contrast", name)
		require.Equal(t, screen.dark, seen.Dark, "%s: the browser's preference", name)
		require.Equal(t, screen.dark, seen.Ground < 0.2, "%s: luminance of the background: %v", name, seen.Ground)
		require.Empty(t, seen.Asked, "%s: asked for", name)
		require.Greater(t, seen.Text, 100, "%s: the page is empty", name)
		require.Equal(t, pictures, seen.Pictures, "%s: pictures", name)
		for _, text := range first {
			require.Contains(t, seen.First, text, "%s: the first screen", name)
		}
	}
}

// checkPrint prints a page and checks that few pages come out, and that first is on the
// first one. Without pdftotext, only the title can be read.
func checkPrint(t *testing.T, page []byte, title string, first ...string) {
	t.Helper()
	dir := t.TempDir()
	file, printed := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
	require.NoError(t, os.WriteFile(file, page, 0o600))
	browse(t, dir, "--no-pdf-header-footer", "--print-to-pdf="+printed, "file://"+file)
	pdf, err := os.ReadFile(printed)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(pdf, []byte("%PDF-")))
	pages := len(pageObject.FindAll(pdf, -1))
	require.True(t, 0 < pages && pages <= mostPages, "pages: %d", pages)
	require.Contains(t, string(pdf), "/Title ("+title+")")
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Log("there is no pdftotext here: the text of the first page is not checked")
		return
	}
	out, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", "-l", "1", printed, "-").Output()
	require.NoError(t, err)
	for _, text := range first {
		require.Contains(t, string(out), text, "the first printed page")
	}
}

var pageObject = regexp.MustCompile(`/Type /Page\b`)

// browse runs a headless Chromium. Without one the test is skipped.
func browse(t *testing.T, dir string, args ...string) []byte {
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
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, program, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--window-size=1400,900", "--virtual-time-budget=10000",
		"--user-data-dir=" + filepath.Join(dir, "profile"),
	}, args...)...)
	c.WaitDelay = limit
	out, err := c.Output()
	require.NoError(t, err, "%s: %s", program, out)
	return out
}

// look opens the page in a frame of the screen's width: the browser's own windows cannot be
// as narrow as a phone.
func look(t *testing.T, page []byte, screen screen) (seen seenPage) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "frame.html")
	var frame strings.Builder
	require.NoError(t, frameTemplate.Execute(&frame, map[string]any{"Page": string(page), "Width": screen.width, "Smallest": smallest, "Contrast": contrast}))
	require.NoError(t, os.WriteFile(file, []byte(frame.String()), 0o600))
	scheme := "--blink-settings=preferredColorScheme=1"
	if screen.dark {
		scheme = "--blink-settings=preferredColorScheme=0"
	}
	out := browse(t, dir, scheme, "--dump-dom", "file://"+file)
	_, text, _ := strings.Cut(string(out), `<pre id="seen">`)
	text, _, found := strings.Cut(text, "</pre>")
	require.True(t, found && text != "", "the browser did not look at the page: %s", shortened(out))
	require.NoError(t, json.Unmarshal([]byte(unescape.Replace(text)), &seen), text)
	return seen
}

// Text that is faint only in dark mode is noticed there.
func TestFaintTextIsNoticed(t *testing.T) {
	t.Parallel()
	page := []byte(`<!doctype html><style>
body { background: #fff; color: #111 } p { color: #555 }
@media (prefers-color-scheme: dark) { body { background: #111; color: #fff } }
</style><h1>Heading</h1><p>Dim</p>`)
	require.Empty(t, look(t, page, screens[desktop]).Faint)
	require.Equal(t, []string{"P Dim"}, look(t, page, screens[dark]).Faint)
}

// unescape undoes what the browser does to text that it prints as HTML.
var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&nbsp;", " ")

func shortened(out []byte) string { return fmt.Sprintf("%.2000s", out) }
