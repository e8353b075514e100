package record

import (
	"maps"
	"slices"
	"strings"
)

// Line returns the command for a shell.
func (p *Plan) Line() string {
	args := p.Args
	if len(args) == 0 { // written before there were any
		for _, name := range slices.Sorted(maps.Keys(p.Flags)) {
			args = append(args, "--"+name+"="+p.Flags[name])
		}
	}
	words := []string{"zbench", p.Command}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		words = append(words, name+"="+quoted(value))
	}
	return strings.Join(words, " ")
}

// quoted returns a word for a shell, in quotes where it has more than letters, digits and
// what means nothing to any.
func quoted(word string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("_-./:,=+@%", c)
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
