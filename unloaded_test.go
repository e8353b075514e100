package gozmq_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first context loads libzmq. Pools and batches also work before that, in a process
// of its own: they load libzmq when they need it.
func TestMemoryBeforeTheFirstContext(t *testing.T) {
	t.Parallel()
	const program = `package main

import (
	"fmt"

	"github.com/go-zmq/go-zmq/pool"
	"github.com/go-zmq/go-zmq/zmq"
)

func main() {
	m, err := pool.Default().Get(1000)
	check(err)
	c, err := m.Clone()
	check(err)
	check(c.Close())
	pool.Default().Put(m)

	b := zmq.NewBatch(8)
	check(b.Append([]byte("one")))
	first := &b.At(0)[0]
	check(b.Append([]byte("two")))
	c, err = first.Clone()
	check(err)
	fmt.Println(b.Len(), string(c.Bytes()), string(b.At(1)[0].Bytes()))
	check(c.Close())
	check(b.Close())
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`
	main := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(main, []byte(program), 0o600))
	require.Equal(t, "2 one two\n", run(t, "go", "run", main))
}
