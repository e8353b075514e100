package plan

// Nearest returns the choice that is most like a word, or "" if none is.
func Nearest(word string, choices []string) string {
	best, least := "", 3 // one more than the letters that may be wrong
	for _, c := range choices {
		if d := distance(word, c); d < least && d < len(c) {
			best, least = c, d
		}
	}
	return best
}

// distance returns how many letters must be changed, added or removed to turn a into b
// (Levenshtein distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
