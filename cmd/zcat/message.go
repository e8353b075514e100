package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// A message is one message, with what is known of it. Its JSON form is a line of the format
// json and of a recording.
type message struct {
	Time  time.Time `json:"time,omitzero"`
	From  string    `json:"from,omitempty"` // of tap: front or back
	ID    text      `json:"id,omitempty"`   // the address: a routing ID, a group or an address of UDP
	Peer  string    `json:"peer,omitempty"` // the address of the peer's connection
	Parts []text    `json:"parts"`
}

// text is bytes whose JSON form is a string, or an object with base64 if they are not UTF-8.
type text []byte

type binaryText struct {
	Base64 string `json:"base64"`
}

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.Valid(t) {
		return json.Marshal(string(t))
	}
	return json.Marshal(binaryText{base64.StdEncoding.EncodeToString(t)})
}

func (t *text) UnmarshalJSON(data []byte) (err error) {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
		return nil
	}
	var b binaryText
	if err := json.Unmarshal(data, &b); err != nil {
		return fmt.Errorf("%.40s is neither a string nor {\"base64\": ...}", data)
	}
	*t, err = base64.StdEncoding.DecodeString(b.Base64)
	return err
}

// A codec reads and writes messages in a format.
type codec struct {
	read  func(r *bufio.Reader) (message, error) // io.EOF at the end
	write func(w *bytes.Buffer, m message)
}

// codecFor returns the codec of the options.
func codecFor(o *options) (codec, error) {
	parts := func(separator string, encode func(p []byte) []byte) func(w *bytes.Buffer, m message) {
		return func(w *bytes.Buffer, m message) { writeParts(w, m, separator, encode) }
	}
	switch o.format {
	case "text":
		read := func(s string) (message, error) { return parseText(s, o.separator), nil }
		return codec{lines(read), parts(o.printedSeparator(), func(p []byte) []byte { return p })}, nil
	case "hex":
		return codec{lines(parseHex), parts(" ", func(p []byte) []byte { return hex.AppendEncode(nil, p) })}, nil
	case "json":
		return codec{lines(parseJSON), writeJSON}, nil
	case "raw":
		return codec{readRaw, writeRaw}, nil
	}
	return codec{}, usage("there is no format %q; the formats are text, hex, json and raw", o.format)
}

func (o *options) printedSeparator() string {
	if o.separator == "" {
		return " | "
	}
	return o.separator
}

// lines returns a function that reads a line and parses it. The last line need not have an end.
func lines(parse func(s string) (message, error)) func(r *bufio.Reader) (message, error) {
	return func(r *bufio.Reader) (message, error) {
		s, err := r.ReadString('\n')
		if err != nil && (s == "" || err != io.EOF) {
			return message{}, err
		}
		return parse(strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r"))
	}
}

func parseText(s, separator string) (m message) {
	parts := []string{s}
	if separator != "" {
		parts = strings.Split(s, separator)
	}
	for _, p := range parts {
		m.Parts = append(m.Parts, text(p))
	}
	return m
}

func parseHex(s string) (m message, err error) {
	for _, field := range strings.Fields(s) {
		p, err := hex.DecodeString(field)
		if err != nil {
			return m, fmt.Errorf("%.40q is not hexadecimal; write two digits for each byte, and spaces between parts", field)
		}
		m.Parts = append(m.Parts, p)
	}
	if m.Parts == nil {
		m.Parts = []text{{}}
	}
	return m, nil
}

func parseJSON(s string) (m message, err error) {
	if err = json.Unmarshal([]byte(s), &m); err == nil && len(m.Parts) == 0 {
		err = errors.New("it has no parts")
	}
	if err != nil {
		return m, fmt.Errorf("%.60q is not a message: %w; write {\"parts\": [\"hello\"]}", s, err)
	}
	return m, nil
}

// maxParts is how many parts a message in the format raw may claim to have.
const maxParts = 1 << 16

func readRaw(r *bufio.Reader) (m message, err error) {
	count, err := readLength(r)
	if err != nil {
		return m, err
	}
	if count == 0 || count > maxParts {
		return m, fmt.Errorf("a raw message of %d parts; it begins with their number, 1 to %d, in four bytes, big-endian", count, maxParts)
	}
	for range count {
		size, err := readLength(r)
		var part bytes.Buffer // grows with what is there, not with what is claimed
		if err == nil {
			_, err = io.CopyN(&part, r, int64(size))
		}
		if err != nil {
			return m, fmt.Errorf("a raw message ends within: %w", io.ErrUnexpectedEOF)
		}
		m.Parts = append(m.Parts, part.Bytes())
	}
	return m, nil
}

func readLength(r io.Reader) (uint32, error) {
	var b [4]byte
	_, err := io.ReadFull(r, b[:])
	return binary.BigEndian.Uint32(b[:]), err
}

// raw returns the parts as sockets take them.
func (m message) raw() (parts [][]byte) {
	for _, p := range m.Parts {
		parts = append(parts, p)
	}
	return parts
}

// addressed returns the parts with the address before them, as sockets pass them.
func (m message) addressed() []text {
	if m.ID == nil {
		return m.Parts
	}
	return append([]text{m.ID}, m.Parts...)
}

func writeParts(w *bytes.Buffer, m message, separator string, encode func([]byte) []byte) {
	w.WriteString(arrow(m.From))
	for i, p := range m.addressed() {
		if i > 0 {
			w.WriteString(separator)
		}
		w.Write(encode(p))
	}
	w.WriteByte('\n')
}

func writeJSON(w *bytes.Buffer, m message) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(m) // it has no value that cannot be encoded
}

func writeRaw(w *bytes.Buffer, m message) {
	parts := m.addressed()
	length := func(n int) { w.Write(binary.BigEndian.AppendUint32(nil, uint32(n))) }
	length(len(parts))
	for _, p := range parts {
		length(len(p))
		w.Write(p)
	}
}

// arrow shows the direction of a message that tap prints.
func arrow(from string) string { return map[string]string{"front": "> ", "back": "< "}[from] }
