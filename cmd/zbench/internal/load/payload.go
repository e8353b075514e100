package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-zmq/go-zmq/bench/workload"
)

// What payloads may be besides the content of files.
const (
	Random = "random" // what no transport can compress
	Text   = "text"
)

const text = "The quick brown fox jumps over the lazy dog while the message waits in its queue. "

// IsFile reports whether a payload is the content of a file, or of those of a directory.
func IsFile(payload string) bool { return payload != "" && payload != Random && payload != Text }

// Payloads returns the payloads of messages, which senders use in turn: one of a size or, of a
// directory, the content of each of its files.
func Payloads(payload string, size int) (all [][]byte, err error) {
	switch {
	case payload == Text:
		return [][]byte{workload.Fill(size, text)}, nil
	case !IsFile(payload):
		return [][]byte{workload.Fill(size, "")}, nil
	}
	info, err := os.Stat(payload)
	if err != nil {
		return nil, err
	}
	names := []string{payload}
	if info.IsDir() {
		if names, err = filepath.Glob(filepath.Join(strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(payload), "*")); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no files", payload)
	}
	return all, nil
}

// Split returns a payload as parts of these sizes; without any, as one part.
func Split(payload []byte, sizes []int) (parts [][]byte) {
	for i := 0; i < len(sizes)-1; i++ {
		parts, payload = append(parts, payload[:sizes[i]:sizes[i]]), payload[sizes[i]:]
	}
	return append(parts, payload)
}
