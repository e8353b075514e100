package zap

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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
		b.WriteString("# ZeroMQ CURVE certificate with the SECRET key. Do not share this file.\n\n")
	} else {
		b.WriteString("# ZeroMQ CURVE certificate without the secret key. Share this file with peers.\n\n")
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
	case !isName(name, "-_.+/$@&"):
		return fmt.Errorf("%.40q is not a valid metadata name; use 1 to 255 letters, digits and -_.+/$@&", name)
	case strings.Contains(value, `"`) && strings.Contains(value, "'"):
		return fmt.Errorf("the metadata %s has both kinds of quotes in its value", name)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return fmt.Errorf("the metadata %s has control characters or invalid UTF-8 in its value", name)
	case len(value) > 4096:
		return fmt.Errorf("the metadata %s has a value of %d bytes, more than 4096", name, len(value))
	}
	return nil
}

// ParseCertificate parses the text of a certificate file. Text that is not a certificate
// returns a *zmq.Error with EINVAL. The Detail of the error begins with the line number
// and contains no values, because they may be secret. Use LoadCertificate to read a file.
func ParseCertificate(text []byte) (Certificate, error) {
	c := Certificate{Metadata: map[string]string{}}
	section, line := "", 0
	for content := range strings.SplitSeq(string(text), "\n") {
		line++
		if err := c.take(&section, content); err != nil {
			return Certificate{}, badCertificate("%d: %v", line, err)
		}
	}
	if c.Public == "" {
		return Certificate{}, badCertificate("%d: the file ends without a %s in a section named %s", line, publicName, curveSection)
	}
	if err := c.check(); err != nil {
		// Each key alone is valid, so the pair is not.
		return Certificate{}, badCertificate("%d: the two keys do not belong together", line)
	}
	return c, nil
}

// take takes one line. A line without indentation begins a section.
func (c *Certificate) take(section *string, line string) error {
	content := strings.TrimSpace(line)
	if content == "" || content[0] == '#' {
		return nil
	}
	if line[0] != ' ' && line[0] != '\t' {
		name, _, _ := strings.Cut(content, "#")
		*section = strings.TrimSpace(name)
		if *section != metadataSection && *section != curveSection {
			return fmt.Errorf("unknown section; a certificate has %s and %s", metadataSection, curveSection)
		}
		return nil
	}
	name, value, ok := strings.Cut(content, "=")
	name = strings.TrimSpace(name)
	if !ok || !isName(name, "-_.+/$@&") {
		return errors.New(`the line has no name before a "="`)
	}
	value, err := unquote(strings.TrimSpace(value))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case *section == curveSection:
		return c.takeKey(name, value)
	case *section == "":
		return errors.New("the line is indented, but no section has begun")
	}
	if _, repeated := c.Metadata[name]; repeated {
		return fmt.Errorf("%s is repeated", name)
	}
	c.Metadata[name] = value
	return checkMetadata(name, value)
}

func (c *Certificate) takeKey(name, value string) error {
	key := &c.Public
	if name == secretName {
		key = &c.Secret
	}
	switch {
	case name != publicName && name != secretName:
		return fmt.Errorf("unknown name %s; this section has %s and %s", name, publicName, secretName)
	case *key != "":
		return fmt.Errorf("%s is repeated", name)
	case name == secretName && value == noKey:
		return nil
	}
	*key = value
	return checkKey(name, value)
}

// unquote returns the value after the "=". A quoted value ends at the next quote of the same
// kind, another value at a "#".
func unquote(text string) (string, error) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		value, rest, ok := strings.Cut(text[1:], text[:1])
		rest = strings.TrimSpace(rest)
		switch {
		case !ok:
			return "", errors.New("the closing quote is missing")
		case rest != "" && rest[0] != '#':
			return "", errors.New("the line has text after the closing quote")
		}
		return value, nil
	}
	value, _, _ := strings.Cut(text, "#")
	if value = strings.TrimSpace(value); value == "" {
		return "", errors.New("the value is missing; write an empty one as \"\"")
	}
	return value, nil
}
