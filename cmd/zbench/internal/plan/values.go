package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

func parseWord(word string) (string, error) { return word, nil }

// hint is a question for the nearest word, or something else if there is none.
func hint(near, otherwise string) string {
	if near == "" {
		return otherwise
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// oneOf parses a word that must be one of a few.
func oneOf(what string, choices []string) func(string) (string, error) {
	return func(word string) (string, error) {
		if slices.Contains(choices, word) {
			return word, nil
		}
		return "", fmt.Errorf("unknown %s %q%s", what, word, hint(Nearest(word, choices), "; use one of "+strings.Join(choices, " ")))
	}
}

func parsePeers(word string) (Peers, error) {
	senders, receivers, ok := strings.Cut(word, ":")
	if !ok {
		receivers = "1"
	}
	s, err1 := strconv.Atoi(senders)
	r, err2 := strconv.Atoi(receivers)
	if err1 != nil || err2 != nil || s < 1 || r < 1 {
		return Peers{}, fmt.Errorf("%q is not senders:receivers; write 8, 8:1 or 1:10", word)
	}
	return Peers{s, r}, nil
}

func parseRate(word string) (float64, error) {
	v, err := record.ParseNumber(word)
	if err == nil && (v <= 0 || v > 1e9) {
		err = fmt.Errorf("%s messages per second: use more than 0 and at most 1e9", word)
	}
	return v, err
}

func parseCount(least int) func(string) (int, error) {
	return func(word string) (int, error) {
		v, err := record.ParseNumber(word)
		if err != nil || v < float64(least) || v > 1e12 || v != float64(int(v)) {
			return 0, fmt.Errorf("%q is not a count; write a whole number from %d up, such as 100 or 1M", word, least)
		}
		return int(v), nil
	}
}

func parseDuration(word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration; write one such as 500ms, 3s or 1m", word)
	}
	return d, nil
}

// parseTime reads a time of today, a full one, or one from now.
func parseTime(word string) (time.Time, error) {
	now := time.Now()
	if d, err := time.ParseDuration(strings.TrimPrefix(word, "+")); err == nil && strings.HasPrefix(word, "+") && d > 0 {
		// Hosts that are told so at about the same time start together.
		return now.Add(2*d - 1).Truncate(d), nil
	}
	if t, err := time.ParseInLocation(time.TimeOnly, word, time.Local); err == nil {
		return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.Local), nil
	}
	if t, err := time.Parse(time.RFC3339, word); err == nil {
		return t, nil
	}
	return time.Time{}, fmt.Errorf("%q is not a time; write one such as 12:00:00, 2026-01-31T12:00:00Z or +10s", word)
}

// ParseSize reads a size such as 64, 1k, 1KB, 1KiB or 3MiB. Units are powers of two.
func ParseSize(word string) (int, error) {
	digits, factor := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(word), "b"), "i"), 1
	for unit, bytes := range map[string]int{"k": 1 << 10, "m": 1 << 20} {
		if cut, ok := strings.CutSuffix(digits, unit); ok {
			digits, factor = cut, bytes
			break
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > math.MaxInt32/factor {
		return 0, fmt.Errorf("%q is not a size; write bytes, k or M, such as 64, 1k or 1KiB", word)
	}
	return n * factor, nil
}
