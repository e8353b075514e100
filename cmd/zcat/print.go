package main

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/mattn/go-runewidth"
	"golang.org/x/term"
)

// A printer prints messages, each whole. Any number of goroutines may use it.
type printer struct {
	mu    sync.Mutex
	w     io.Writer
	codec codec
	line  func(m message) string // of a terminal; nil: the codec is used
	buf   bytes.Buffer
}

// maxBuffered is how much is printed at a time while more messages are waiting.
const maxBuffered = 64 << 10

func newPrinter(w io.Writer, o *options) (*printer, error) {
	c, err := codecFor(o)
	if err != nil {
		return nil, err
	}
	p := &printer{w: w, codec: c}
	if f, ok := w.(*os.File); ok && o.format == "text" && term.IsTerminal(int(f.Fd())) {
		color := os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		p.line = func(m message) string {
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil || width <= 0 {
				width = 80
			}
			return terminalLine(m, o.printedSeparator(), width, color)
		}
	}
	return p, nil
}

// print prints a message. If more are waiting, it may keep it until the next call.
func (p *printer) print(m message, more bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line != nil {
		p.buf.WriteString(p.line(m) + "\n")
	} else {
		p.codec.write(&p.buf, m)
	}
	if more && p.buf.Len() < maxBuffered {
		return nil
	}
	_, err := p.buf.WriteTo(p.w)
	return err
}

const (
	dim   = "\x1b[2m"
	cyan  = "\x1b[36m"
	reset = "\x1b[0m"
)

// terminalLine returns a message as one line of a terminal: escaped, and cut to the width.
func terminalLine(m message, separator string, width int, color bool) string {
	paint := func(style, s string) string {
		if !color || style == "" || s == "" {
			return s
		}
		return style + s + reset
	}
	var b strings.Builder
	room := width - 1 // a full line would make some terminals begin another
	// put writes as much of the text as fits, and reports whether that is all.
	put := func(style, s string) bool {
		w := runewidth.StringWidth(s)
		if w <= room {
			b.WriteString(paint(style, s))
			room -= w
			return true
		}
		b.WriteString(paint(style, runewidth.Truncate(s, max(room, 0), "…")))
		room = 0
		return false
	}
	put(dim, arrow(m.From))
	fits := m.ID == nil || put(cyan, escape(m.ID, room)) && put(dim, separator)
	for i, part := range m.Parts {
		fits = fits && (i == 0 || put(dim, separator)) && put("", escape(part, room))
	}
	return b.String()
}

// escape returns at least the first n columns of a part, with what a terminal would not show as
// escapes of Go.
func escape(part []byte, n int) string {
	if len(part) == 0 {
		return `""`
	}
	quoted := strconv.Quote(string(part[:min(len(part), 4*n+8)]))
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
