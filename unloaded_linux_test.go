package gozmq_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The Go runtime ends the process if it finds no descriptors when it begins to wait for the
// first time. In a program that has not waited before, whatever makes it begin returns an error
// instead, and works as soon as there are descriptors. Test programs have waited before.
func TestFirstWaitAtTheDescriptorLimit(t *testing.T) {
	t.Parallel()
	const program = `package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/go-zmq/go-zmq/poller"
	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

var starts = map[string]func() error{
	"context": func() error {
		_, err := zmq.NewContext()
		return err
	},
	"poller": func() error {
		_, err := poller.New()
		return err
	},
	"zerocopy": func() error {
		_, err := zmq.NewMessageZeroCopy(make([]byte, 100), nil)
		return err
	},
	"pool": func() error {
		p := pool.New(pool.Config{MaxIdleBytes: 1})
		for range 2 { // too much to keep: a timer is to give it back
			if _, err := p.Get(1 << 20); err != nil {
				return err
			}
		}
		return nil
	},
}

func main() {
	start := starts[os.Args[1]]
	zmq.Version() // loads libzmq
	var before syscall.Rlimit
	check(syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before))
	check(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: before.Max}))
	var taken []int
	for fd, err := syscall.Dup(2); err == nil; fd, err = syscall.Dup(2) {
		taken = append(taken, fd)
	}
	refused := 0
	for { // one more is free in each round
		err := start()
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EMFILE) {
			check(err)
		}
		refused++
		check(syscall.Close(taken[len(taken)-1]))
		taken = taken[:len(taken)-1]
	}
	fmt.Println(refused)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`
	dir := t.TempDir()
	main, built := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
	require.NoError(t, os.WriteFile(main, []byte(program), 0o600))
	run(t, "go", "build", "-o", built, main)
	for what, refused := range map[string]string{"context": "6\n", "poller": "4\n", "zerocopy": "4\n", "pool": "0\n"} {
		require.Equal(t, refused, run(t, built, what), what)
	}
}
