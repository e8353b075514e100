package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// The reference in the repository is that of the commands.
func TestReference(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	code := Main([]string{"docs", "--check", "../../../../docs/zbench.md"}, &out, &errs)
	require.Equal(t, exitOK, code, "in cmd/zbench: go generate\n%s", errs.String())
}

func TestAsMarkdown(t *testing.T) {
	t.Parallel()
	require.Equal(t, "words:\n\n    code\n    more\n\nwords\n\n    code\n", asMarkdown("words:\n  code\n  more\n\nwords\n\n  code\n"))
}
