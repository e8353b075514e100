package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/series"
)

// timeUnit is the unit of the time that a message took, or a round trip; "" if the
// series has neither.
func timeUnit(s *series.Series) string {
	for _, unit := range []string{"sec/msg", "sec/op"} {
		if s.Has(unit) {
			return unit
		}
	}
	return ""
}

func cpuUnit(unit string) string { return "cpu-" + unit }

// has reports whether a name has one of the keys.
func has(s *series.Series, keys ...string) bool {
	for _, key := range keys {
		if s.Keys[key] != "" {
			return true
		}
	}
	return false
}

// columns returns the keys in which the series differ, in the order of their names'.
func columns(all []*series.Series, without ...string) []string {
	order := []string{"pattern", "transport", "peers", "senders", "receivers", "subs", "window", "size", "mode", "strategy"}
	for _, s := range all {
		for key := range s.Keys {
			if !slices.Contains(order, key) {
				order = append(order, key)
			}
		}
	}
	slices.Sort(order[10:])
	return slices.DeleteFunc(order, func(key string) bool {
		if slices.Contains(without, key) {
			return true
		}
		return !slices.ContainsFunc(all, func(s *series.Series) bool { return s.Keys[key] != all[0].Keys[key] })
	})
}

// sayCommon adds what all series have in common, which no column says.
func (t *Table) sayCommon(all []*series.Series) *Table {
	varying := columns(all, "impl")
	var words []string
	for _, key := range []string{"pattern", "transport", "size", "mode", "strategy"} {
		if value := all[0].Keys[key]; value != "" && !slices.Contains(varying, key) {
			words = append(words, key+" "+value)
		}
	}
	if len(words) > 0 {
		t.say("Everywhere: %s.", strings.Join(words, ", "))
	}
	return t
}

func crossings(s *series.Series) string {
	for _, unit := range []string{"cgo/msg", "cgo/op"} {
		if s.Has(unit) {
			center, _ := s.Median(unit)
			return fmt.Sprintf("%.2f", center)
		}
	}
	return ""
}
