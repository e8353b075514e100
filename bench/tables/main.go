// Benchtables renders the tables of this repository from raw results, so that no
// figure in a document is written by hand.
//
// In a document, a table is between two comments. The first one names the table and the
// path of the results, relative to the document:
//
//	<!-- table summary bench/results/2026-11-23-bindings/bindings.txt -->
//	<!-- end -->
//
// With plot instead of table, the comments hold a reference to an SVG file in
// bench/plots, which is written and checked with the document. With figures, the tool
// writes some cells of a table that is written by hand (figures.go).
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(args []string, output io.Writer) error {
	flags := flag.NewFlagSet("tables", flag.ContinueOnError)
	flags.SetOutput(output)
	check := flags.Bool("check", false, "fail if a table of a document differs from its results")
	update := flags.Bool("update", false, "write the tables of documents again")
	out := flags.String("o", "", "write every table of a folder of results to this `FILE`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *out != "" && !*check && !*update && flags.NArg() == 1:
		return writeAll(*out, flags.Arg(0))
	case *out == "" && *check != *update && flags.NArg() > 0:
	default:
		flags.Usage()
		return errors.New("use -check FILE..., -update FILE... or -o FILE DIR")
	}
	var failed []error
	for _, path := range flags.Args() {
		err := renew(path, *update)
		if err == nil && *check {
			fmt.Fprintf(output, "bench-check: %s: ok\n", path)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}
