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
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\`$&|;<>()[]{}*?!#~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
