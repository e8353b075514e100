package result

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
)

// A Gate fails a comparison in which a figure got worse, significantly and by more than a
// share.
type Gate struct {
	Unit    string
	Percent float64
	text    string
}

// String returns the gate as it was written.
func (g Gate) String() string { return g.text }

// ParseGate reads "msg/s:-5%", "p99:+10%", "allocs/msg:+0" or, without a sign, "msg/s:5%".
func ParseGate(text string) (Gate, error) {
	unit, limit, ok := strings.Cut(text, ":")
	if !ok || unit == "" {
		return Gate{}, fmt.Errorf("--fail-on %q: use FIGURE:±N%%, such as 'msg/s:-5%%' or 'p99:+10%%'", text)
	}
	name := unit
	if strings.HasPrefix(unit, "p") || slices.Contains([]string{"min", "mean", "max"}, unit) {
		unit = strings.TrimSuffix(unit, "-ns") + "-ns"
	}
	number := strings.TrimSuffix(limit, "%")
	percent, err := strconv.ParseFloat(strings.TrimLeft(number, "+-"), 64)
	if err != nil || math.IsNaN(percent) || math.IsInf(percent, 0) || percent < 0 || strings.Count(number, "+")+strings.Count(number, "-") > 1 {
		return Gate{}, fmt.Errorf("--fail-on %q: %q is not a limit; use ±N%%, such as -5%% or +0", text, limit)
	}
	direction := record.Better(unit)
	switch up := strings.HasPrefix(number, "+"); {
	case direction == 0:
		return Gate{}, fmt.Errorf("--fail-on %q: unknown figure; use one of %s", text, strings.Join(record.Units, " "))
	case direction > 0 && up:
		return Gate{}, fmt.Errorf("--fail-on %q: more %s is better; write %s:-%s to fail if there is less", text, name, name, strings.TrimPrefix(limit, "+"))
	case direction < 0 && strings.HasPrefix(number, "-"):
		return Gate{}, fmt.Errorf("--fail-on %q: less %s is better; write %s:+%s to fail if there is more", text, name, name, strings.TrimPrefix(limit, "-"))
	}
	return Gate{Unit: unit, Percent: percent, text: text}, nil
}
