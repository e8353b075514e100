package browser_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/page/browser"
)

// What is wrong with a page is seen.
func TestLook(t *testing.T) {
	t.Parallel()
	page := []byte(`<!DOCTYPE html><title>Page</title><p>Fine <svg width="10" height="10"></svg></p>
<p id="wide" style="width: 600px">Wide &lt;one&gt;</p><div class="scroll" style="overflow-x: auto"><p style="width: 700px">Scrolls</p></div>
<p style="font-size: 3px">Small</p><img src="http://example.com/picture.png">`)
	seen := browser.Look(t, page, 390)
	require.Equal(t, []string{"P Wide <one>"}, seen.Beyond)
	require.Greater(t, seen.Width, 600)
	require.Equal(t, []string{"P Small"}, seen.Small)
	require.Equal(t, 1, seen.Pictures)
	require.Equal(t, []string{"http://example.com/picture.png"}, seen.Asked)
	require.Empty(t, browser.Look(t, page, 1280).Beyond)
}
