package plot

import (
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strings"
)

// A tone is a colour on a light and on a dark background. The light ones are those
// of Okabe and Ito, which people who tell colours apart badly can use, some a little
// darker, for thin lines.
type tone struct {
	class       string
	light, dark string
}

var tones = []tone{
	{"paper", "#ffffff", "#0d1117"},
	{"ink", "#1f2328", "#e6edf3"},
	{"faint", "#59636e", "#9ea7b1"},
	{"rule", "#e3e7eb", "#2b3138"},
	{"c0", "#0072b2", "#58a9e3"},
	{"c1", "#d55e00", "#ff8b47"},
	{"c2", "#008b67", "#35c79a"},
	{"c3", "#b8558f", "#e893c2"},
	{"c4", "#a67300", "#f0b429"},
	{"c5", "#3b8fc4", "#9bd3f7"},
	{"c6", "#6b4fa0", "#b39ddb"},
	{"c7", "#7a5c3e", "#c8a582"},
}

var (
	paper   = tones[0].colour()
	ink     = tones[1].colour()
	faint   = tones[2].colour()
	rule    = tones[3].colour()
	colours = []color.Color{
		tones[4].colour(), tones[5].colour(), tones[6].colour(), tones[7].colour(),
		tones[8].colour(), tones[9].colour(), tones[10].colour(), tones[11].colour(),
	}
)

func (t tone) colour() color.Color {
	c := color.NRGBA{A: 255}
	if _, err := fmt.Sscanf(t.light, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic(err) // of the table above
	}
	return c
}

var (
	root   = regexp.MustCompile(`(?s)^<\?xml.*?<svg width="([0-9.]+)pt" height="([0-9.]+)pt".*?>\n`)
	styled = regexp.MustCompile(`style="([^"]*)"`)
	paint  = regexp.MustCompile(`(fill|stroke):(#[0-9A-Fa-f]{6})`)
	named  = regexp.MustCompile(`font-family:[^;"]*;font-variant:[^;"]*;font-weight:([^;"]*);font-style:[^;"]*;`)
)

// themed gives what gonum drew two sets of colours and a description. A colour
// becomes a class, with the light one as an attribute for programs that know no style
// sheets: a style would win over the class. Pages may have many of these in them, so
// the classes and rules are of the figure alone.
func themed(svg, title, description string) []byte {
	var b strings.Builder
	size := root.FindStringSubmatch(svg)
	fmt.Fprintf(&b, `<svg class="zbench-plot" width="%s" height="%s" viewBox="0 0 %s %s" role="img" xmlns="http://www.w3.org/2000/svg" font-family="'Liberation Sans',Arial,Helvetica,sans-serif">`+"\n",
		size[1], size[2], size[1], size[2])
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n<style>\n@media (prefers-color-scheme: dark) {\n", html.EscapeString(title), html.EscapeString(description))
	for _, t := range tones {
		fmt.Fprintf(&b, ".zbench-plot .f-%s{fill:%s}.zbench-plot .s-%s{stroke:%s}\n", t.class, t.dark, t.class, t.dark)
	}
	b.WriteString("}\n</style>\n")
	b.WriteString(styled.ReplaceAllStringFunc(svg[len(size[0]):], repaint))
	return []byte(b.String())
}

// repaint turns the colours of a style into classes and attributes.
func repaint(attribute string) string {
	text := styled.FindStringSubmatch(attribute)[1]
	text = named.ReplaceAllString(text, "font-weight:$1;")
	var classes, attributes []string
	for _, m := range paint.FindAllStringSubmatch(text, -1) {
		for _, t := range tones {
			if strings.EqualFold(t.light, m[2]) {
				classes = append(classes, m[1][:1]+"-"+t.class)
				attributes = append(attributes, fmt.Sprintf(`%s="%s"`, m[1], t.light))
			}
		}
	}
	text = strings.Trim(paint.ReplaceAllString(text, ""), ";")
	for strings.Contains(text, ";;") {
		text = strings.ReplaceAll(text, ";;", ";")
	}
	out := strings.Join(attributes, " ")
	if len(classes) > 0 {
		out += fmt.Sprintf(` class="%s"`, strings.Join(classes, " "))
	}
	if text != "" {
		out += fmt.Sprintf(` style="%s"`, text)
	}
	return strings.TrimSpace(out)
}
