package record

import "strings"

// Line returns the command for a shell.
func (p *Plan) Line() string {
	words := []string{"zbench", p.Command}
	for _, arg := range p.Args {
		name, value, _ := strings.Cut(arg, "=")
		words = append(words, name+"="+quoted(value))
	}
	return strings.Join(words, " ")
}

// quoted returns a word for a shell, in quotes unless no shell gives a character of it a
// meaning.
func quoted(word string) string {
	special := func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		return !letter && !strings.ContainsRune("_-./:,=+@%", c)
	}
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
