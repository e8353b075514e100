package zmqexpvar_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zmqexpvar"
)

func TestSockets(t *testing.T) {
	c, err := zmq.NewContext()
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	s, err := c.NewSocket(zmq.Pair)
	require.NoError(t, err)
	peer, err := c.NewSocket(zmq.Pair)
	require.NoError(t, err)
	require.NoError(t, s.Bind("inproc://expvar"))
	require.NoError(t, peer.Connect("inproc://expvar"))
	require.NoError(t, peer.SendMultipart([][]byte{[]byte("ab"), []byte("cde")}))

	v := zmqexpvar.New()
	v.Add("pair", s)
	v.Add("gone", s)
	v.Remove("gone")
	expvar.Publish("zmq-test", v)
	_, err = s.RecvMultipart()
	require.NoError(t, err)

	var shown map[string]zmq.Stats
	require.NoError(t, json.Unmarshal([]byte(expvar.Get("zmq-test").String()), &shown))
	require.Equal(t, map[string]zmq.Stats{"pair": s.Stats()}, shown)
	require.EqualValues(t, 5, shown["pair"].BytesReceived)
}

func Example() {
	sockets := zmqexpvar.New()
	expvar.Publish("zmq", sockets) // shown under /debug/vars of the program's HTTP server

	c, err := zmq.NewContext()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	s, err := c.NewSocket(zmq.Push)
	if err != nil {
		fmt.Println(err)
		return
	}
	sockets.Add("jobs", s)
	err = s.SendString("job", zmq.DontWait) // there is nobody to take it
	fmt.Println(err)

	jobs := sockets.Value().(map[string]zmq.Stats)["jobs"]
	fmt.Println(jobs.MessagesSent, jobs.SendWouldBlock)
	// Output:
	// zmq: send: resource temporarily unavailable
	// 0 1
}
