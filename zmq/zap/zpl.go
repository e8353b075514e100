package zap

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-zmq/go-zmq/zmq"
)

// The sections and keys of a certificate.
const (
	metadataSection = "metadata"
	curveSection    = "curve"
	publicName      = "public-key"
	secretName      = "secret-key"

	// noKey is what CZMQ writes in place of an unknown secret key.
	noKey = "0000000000000000000000000000000000000000"
)

// text writes the certificate in ZPL (RFC 4).
func (c Certificate) text(secret bool) []byte {
	var b bytes.Buffer
	if secret {
		b.WriteString("# A CURVE certificate of ZeroMQ with its SECRET key: for its owner's eyes only.\n\n")
	} else {
		b.WriteString("# A CURVE certificate of ZeroMQ, without its secret key: give it to the other side.\n\n")
	}
	b.WriteString(metadataSection + "\n")
	for _, name := range slices.Sorted(maps.Keys(c.Metadata)) {
		fmt.Fprintf(&b, "    %s = %s\n", name, quote(c.Metadata[name]))
	}
	b.WriteString(curveSection + "\n")
	fmt.Fprintf(&b, "    %s = %s\n", publicName, quote(c.Public))
	if secret {
		fmt.Fprintf(&b, "    %s = %s\n", secretName, quote(c.Secret))
	}
	return b.Bytes()
}

func quote(value string) string {
	if strings.Contains(value, `"`) {
		return "'" + value + "'"
	}
	return `"` + value + `"`
}

// checkMetadata refuses metadata that could not be read back.
func checkMetadata(name, value string) error {
	switch {
	case !isName(name):
		return fmt.Errorf("%.40q is not a valid metadata name: use 1 to 255 letters, digits and -_.+/$@&", name)
	case strings.Contains(value, `"`) && strings.Contains(value, "'"):
		return fmt.Errorf("the metadata %s has both kinds of quotes in its value", name)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return fmt.Errorf("the metadata %s has control characters or invalid UTF-8 in its value", name)
	case len(value) > 4096:
		return fmt.Errorf("the metadata %s has a value of %d bytes, more than 4096", name, len(value))
	}
	return nil
}

func isName(name string) bool {
	if name == "" || len(name) > 255 {
		return false
	}
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.+/$@&", c) >= 0 {
			continue
		}
		return false
	}
	return true
}

// ParseCertificate parses the text of a certificate file. Any deviation from the format
// returns a *zmq.Error with EINVAL. The Detail of the error begins with the line number
// and contains no values, because they may be secret. Use LoadCertificate to read a file.
func ParseCertificate(text []byte) (Certificate, error) {
	p := parser{c: Certificate{Metadata: map[string]string{}}, seen: map[string]bool{}}
	for n, line := range strings.Split(string(text), "\n") {
		p.line = n + 1
		if err := p.take(strings.TrimSuffix(line, "\r")); err != nil {
			return Certificate{}, badCertificate("%d: %v", p.line, err)
		}
	}
	if p.c.Public == "" {
		return Certificate{}, badCertificate("%d: the file ends without a %s in a section named %s", p.line, publicName, curveSection)
	}
	if err := p.c.check(); err != nil {
		// Each key alone is valid, so the pair is not.
		return Certificate{}, badCertificate("%d: the two keys do not belong together", p.line)
	}
	return p.c, nil
}

type parser struct {
	c       Certificate
	line    int
	section string
	seen    map[string]bool // sections, and names within them
}

func (p *parser) take(line string) error {
	content := strings.TrimLeft(line, " \t")
	if content == "" || content[0] == '#' {
		return nil
	}
	indent := line[:len(line)-len(content)]
	if indent == "" {
		return p.openSection(content)
	}
	switch {
	case p.section == "":
		return fmt.Errorf("an indented line before the first section")
	case strings.Contains(indent, "\t"), len(indent) != 4:
		return fmt.Errorf("the line is indented by %q, not by four spaces", indent)
	}
	name, value, ok := strings.Cut(content, "=")
	name = strings.TrimRight(name, " \t")
	switch {
	case !ok:
		return fmt.Errorf(`the line has no "="`)
	case !isName(name):
		return fmt.Errorf("the line has no name before the \"=\"")
	case p.seen[p.section+" "+name]:
		return fmt.Errorf("%s is repeated", name)
	}
	p.seen[p.section+" "+name] = true
	value, err := unquote(strings.Trim(value, " \t"))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return p.set(name, value)
}

func (p *parser) openSection(content string) error {
	name, _, _ := strings.Cut(content, "#")
	name = strings.TrimRight(name, " \t")
	switch {
	case name != metadataSection && name != curveSection:
		return fmt.Errorf("unknown section: a certificate has %s and %s", metadataSection, curveSection)
	case p.seen[name]:
		return fmt.Errorf("the section %s is repeated", name)
	}
	p.section = name
	p.seen[name] = true
	return nil
}

func (p *parser) set(name, value string) error {
	if p.section == metadataSection {
		if err := checkMetadata(name, value); err != nil {
			return err
		}
		p.c.Metadata[name] = value
		return nil
	}
	if name == secretName && value == noKey {
		return nil
	}
	if name != publicName && name != secretName {
		return fmt.Errorf("unknown name %s: this section has %s and %s", name, publicName, secretName)
	}
	if _, err := decodeKey(value); err != nil {
		detail := err.Error()
		if e, ok := err.(*zmq.Error); ok {
			detail = e.Detail
		}
		return fmt.Errorf("%s: %s", name, detail)
	}
	if name == publicName {
		p.c.Public = value
	} else {
		p.c.Secret = value
	}
	return nil
}

// unquote returns the value after the "=". A quoted value ends at the next quote of the same
// kind, another value at a "#".
func unquote(text string) (string, error) {
	if text == "" {
		return "", fmt.Errorf("the value is missing: write an empty one as \"\"")
	}
	if q := text[0]; q == '"' || q == '\'' {
		value, rest, ok := strings.Cut(text[1:], string(q))
		rest = strings.TrimLeft(rest, " \t")
		switch {
		case !ok:
			return "", fmt.Errorf("the closing quote is missing")
		case rest != "" && rest[0] != '#':
			return "", fmt.Errorf("the line has text after the closing quote")
		}
		return value, nil
	}
	value, _, _ := strings.Cut(text, "#")
	value = strings.TrimRight(value, " \t")
	if value == "" {
		return "", fmt.Errorf("the value is missing: write an empty one as \"\"")
	}
	return value, nil
}
