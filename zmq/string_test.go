package zmq_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

func TestSocketStringHasTypeAndEndpoint(t *testing.T) {
	t.Parallel()
	zctx := newContext(t)
	push := newSocket(t, zctx, zmq.Push)
	require.Equal(t, "PUSH", push.String())
	require.NoError(t, push.Bind("inproc://described"))
	require.Equal(t, "PUSH inproc://described", fmt.Sprint(push))
	require.Equal(t, "nil socket", (*zmq.Socket)(nil).String())
	require.Same(t, zctx, push.Context())
	require.Nil(t, (*zmq.Socket)(nil).Context())
}

func TestMessageStringIsShortAndEscaped(t *testing.T) {
	t.Parallel()
	text := func(content string) string {
		m, err := zmq.NewMessageBytes([]byte(content))
		require.NoError(t, err)
		defer m.Close()
		return m.String()
	}
	require.Equal(t, `5 bytes "hello"`, text("hello"))
	require.Equal(t, `1 byte "\x00"`, text("\x00"))
	require.Equal(t, `16 bytes "0123456789abcdef"`, text("0123456789abcdef"))
	require.Equal(t, `1000 bytes "xxxxxxxxxxxxxxxx"...`, text(strings.Repeat("x", 1000)))
	require.Equal(t, `0 bytes ""`, new(zmq.Message).String())
	require.Equal(t, "nil message", (*zmq.Message)(nil).String())

	var p zmq.Multipart
	require.Equal(t, "[]", p.String())
	m, err := zmq.NewMessageBytes([]byte("id"))
	require.NoError(t, err)
	require.NoError(t, p.Append(m))
	require.NoError(t, p.Append(new(zmq.Message)))
	defer p.Close()
	require.Equal(t, `[2 bytes "id", 0 bytes ""]`, fmt.Sprint(p))
}
