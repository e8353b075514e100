// Zcert creates a CURVE certificate. It writes a file with a new public key, and a file
// with the suffix _secret that also has the secret key and that only its owner can read.
// The files have the format of CZMQ, which package zap, CZMQ and pyzmq read.
//
//	zcert [-meta name=value]... file
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-zmq/go-zmq/zmq/zap"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 2 for a wrong command line, 1 if the certificate could not
// be created.
func run(args []string, out, faults io.Writer) int {
	metadata := map[string]string{}
	flags := flag.NewFlagSet("zcert", flag.ContinueOnError)
	flags.SetOutput(faults)
	flags.Usage = func() {
		fmt.Fprintln(faults, "usage: zcert [-meta name=value]... file")
		flags.PrintDefaults()
	}
	flags.Func("meta", "what the certificate says of its owner, such as name=backend", func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return errors.New("there is no =; write name=value")
		}
		metadata[name] = value
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 1 {
		flags.Usage()
		return 2
	}
	if err := generate(flags.Arg(0), metadata, out); err != nil {
		fmt.Fprintln(faults, "zcert:", err)
		return 1
	}
	return 0
}

func generate(path string, metadata map[string]string, out io.Writer) error {
	for _, file := range []string{path, path + "_secret"} {
		if _, err := os.Lstat(file); err == nil {
			return fmt.Errorf("%s is there already; move it away, or name another file", file)
		}
	}
	c, err := zap.NewCertificate()
	if err != nil {
		return err
	}
	c.Metadata = metadata
	if err := c.Save(path); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: public key %s\n%s_secret: keep it to yourself\n", path, c.Public, path)
	return err
}
