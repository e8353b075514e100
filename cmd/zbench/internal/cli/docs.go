package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newDocs is for those who work on zbench: the reference in docs/zbench.md is what
// the commands say of themselves.
func newDocs() *cobra.Command {
	var update, check string
	cmd := &cobra.Command{
		Use:    "docs",
		Hidden: true,
		Short:  "the reference of all commands, as Markdown",
		Long: `Prints the reference of all commands. --update replaces that of a Markdown file, which
stands between <!-- zbench:BEGIN reference --> and <!-- zbench:END reference -->.
--check changes nothing, and exits with 99 when --update would.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if update != "" && check != "" {
				return usagef("--update and --check exclude each other: choose one")
			}
			text := reference(cmd.Root())
			path := update + check
			if path == "" {
				_, err := io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			return updateReference(path, text, check != "")
		},
	}
	cmd.Flags().StringVar(&update, "update", "", "Markdown file whose reference is replaced")
	cmd.Flags().StringVar(&check, "check", "", "Markdown file whose reference is compared")
	return cmd
}

var errReference = errors.New("the reference is not what the commands say; make it with: zbench docs --update")

func updateReference(path, text string, check bool) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	now, err := withReference(old, text)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case bytes.Equal(old, now):
		return nil
	case check:
		return fmt.Errorf("%s: %w", path, errReference)
	}
	return os.WriteFile(path, now, 0o644)
}

// withReference replaces what stands between the comments of a Markdown file.
func withReference(old []byte, text string) ([]byte, error) {
	const begin, end = "<!-- zbench:BEGIN reference -->\n", "<!-- zbench:END reference -->\n"
	before, rest, begins := bytes.Cut(old, []byte(begin))
	_, after, ends := bytes.Cut(rest, []byte(end))
	if !begins || !ends {
		return nil, fmt.Errorf("it needs the lines %s and %s", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return slices.Concat(before, []byte(begin+text+end), after), nil
}

// reference describes the commands that help shows, in its order.
func reference(root *cobra.Command) string {
	var b strings.Builder
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() && cmd.Name() != "help" {
			describe(&b, cmd)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func describe(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "### %s\n\n%s\n\n    %s\n\n", cmd.CommandPath(), sentence(cmd.Short), cmd.UseLine())
	if cmd.Long != "" {
		fmt.Fprintf(b, "%s\n\n", strings.TrimSpace(asMarkdown(cmd.Long)))
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "Examples:\n\n%s\n\n", indented(cmd.Example))
	}
	var rows []string
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			rows = append(rows, flagRow(f))
		}
	})
	if len(rows) > 0 {
		fmt.Fprintf(b, "| flag | default | |\n| --- | --- | --- |\n%s\n", strings.Join(rows, ""))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && cmd.Name() != "completion" {
			describe(b, sub)
		}
	}
}

func flagRow(f *pflag.Flag) string {
	kind, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind != "" {
		name += " " + kind
	}
	value := f.DefValue
	if value == "false" || value == "[]" || value == "" {
		value = ""
	} else {
		value = "`" + value + "`"
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, value, strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(usage))
}

func sentence(text string) string {
	text = strings.ToUpper(text[:1]) + text[1:]
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// indented makes a block of code of lines.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		b.WriteString("    " + strings.TrimPrefix(line, "  "))
	}
	return b.String()
}

// asMarkdown makes code of the lines that a help text indents. Markdown takes such lines
// for code only behind an empty one.
func asMarkdown(text string) string {
	var b strings.Builder
	prose := false
	for line := range strings.Lines(text) {
		if code, ok := strings.CutPrefix(line, "  "); ok {
			if prose {
				b.WriteByte('\n')
			}
			line = "    " + code
		}
		prose = strings.TrimSpace(line) != "" && line[0] != ' '
		b.WriteString(line)
	}
	return b.String()
}
