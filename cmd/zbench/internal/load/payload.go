package load

import (
	"fmt"
	"os"

	"github.com/go-zmq/go-zmq/internal/workload"
)

// mostPayload is how much of a file messages can consist of: the largest message.
const mostPayload = 1 << 30

// ReadPayload returns what messages consist of, as it is in a file; nothing for no file.
func ReadPayload(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", fmt.Errorf("--payload: %w", err)
	case !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > mostPayload:
		return "", fmt.Errorf("--payload %s: use a file of 1 byte to 1 GiB", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--payload: %w", err)
	}
	return string(data), nil
}

// Payload returns size bytes of a text, again and again; without one, bytes that no
// transport could compress.
func Payload(size int, text string) []byte { return workload.Fill(size, text) }
