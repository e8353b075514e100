// Command zvendor writes libzmq's sources into a module, as a package that go build compiles
// into the program. A blank import of that package makes go-zmq use it:
//
//	go run github.com/go-zmq/go-zmq/cmd/zvendor@latest ./internal/libzmq
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
)

const usage = `usage: zvendor [flags] FOLDER

Writes a Go package with libzmq's sources into FOLDER, which is new or empty and
inside a Go module. A blank import of the package selects that libzmq for go-zmq.

`

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		if !errors.Is(err, pflag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "zvendor:", err)
		}
		os.Exit(1)
	}
}

// A command is what the command line asks for.
type command struct {
	folder                    string
	options                   options
	given                     func(flag string) bool
	version                   string
	source, sodium            string
	sodiumVersion             string
	check, update, withoutUse bool
}

func run(args []string, log io.Writer) error {
	var c command
	flags := pflag.NewFlagSet("zvendor", pflag.ContinueOnError)
	flags.SetOutput(log)
	flags.SortFlags = false
	flags.StringVar(&c.version, "version", "", "the release of libzmq (default "+newestLibzmq+", or that of --source)")
	flags.StringVar(&c.source, "source", "", "read libzmq from this archive instead of downloading it")
	flags.StringVar(&c.sodium, "sodium-source", "", "read libsodium from this archive instead of downloading it")
	flags.StringVar(&c.options.Curve, "curve", curveBuiltin, "the code for CURVE: builtin, system (links libsodium) or off")
	flags.BoolVar(&c.options.Draft, "draft", false, "with the draft API")
	flags.BoolVar(&c.options.Tuned, "tuned", false, "read and write in batches of 128 KiB instead of 8 KiB")
	flags.BoolVar(&c.check, "check", false, "say whether FOLDER is as zvendor wrote it, and change nothing")
	flags.BoolVar(&c.update, "update", false, "write FOLDER again, with its options unless other ones are given")
	flags.BoolVar(&c.withoutUse, "no-build", false, "do not compile the package")
	flags.Usage = func() { fmt.Fprint(log, usage+flags.FlagUsages()) }
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return errors.New("name one folder, for example ./internal/libzmq")
	}
	c.folder, c.given = flags.Arg(0), flags.Changed
	switch c.options.Curve {
	case curveBuiltin, curveSystem, curveOff:
	default:
		return fmt.Errorf("--curve=%s: it is builtin, system or off", c.options.Curve)
	}
	if c.check && c.update {
		return errors.New("--check and --update exclude each other")
	}
	if c.check {
		return check(c.folder, log)
	}
	return write(c, log)
}
