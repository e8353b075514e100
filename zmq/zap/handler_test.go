//go:build !asan

// Not under AddressSanitizer, whose leak detector finds the answers that libzmq itself
// loses when they make no sense.

package zap_test

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/test/testutil/zmqtest"
	"github.com/go-zmq/go-zmq/zmq"
)

// A ZAP handler that the program wrote itself answers wrongly: a monitor event reports
// it, and there is no connection. For a correct answer the monitor reports the status.
func TestHandlersOnTheMonitor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reply, says string
	}{
		{"", "ZAP_MALFORMED_REPLY"},
		{"1.0|1|200|OK|u", "ZAP_MALFORMED_REPLY"},
		{"1.0|1|200|OK|u||more", "ZAP_MALFORMED_REPLY"},
		{"1.1|1|200|OK|u|", "ZAP_BAD_VERSION"},
		{"1.0|2|200|OK|u|", "ZAP_BAD_REQUEST_ID"},
		{"1.0|1|201|OK|u|", "ZAP_INVALID_STATUS_CODE"},
		{"1.0|1||OK|u|", "ZAP_INVALID_STATUS_CODE"},
		{"1.0|1|600|OK|u|", "ZAP_INVALID_STATUS_CODE"},
		{"1.0|1|\xff\x00\x00|OK|u|", "ZAP_INVALID_STATUS_CODE"},
		{"1.0|1|200|OK|u|nonsense", "ZAP_INVALID_METADATA"},
		{"1.0|1|200|OK|u|\x01x\xff\xff\xff\xffy", "ZAP_INVALID_METADATA"},
		{"1.0|1|200|OK|u|" + strings.Repeat("x", 100_000), "ZAP_INVALID_METADATA"},
		{"1.0|1|300|later||", "300"},
		{"1.0|1|400|never||", "400"},
		{"1.0|1|500|what||", "500"},
		{"nothing at all", "HandshakeInterval"},
	} {
		for mechanism, settings := range mechanisms(t) {
			t.Run(fmt.Sprintf("%s %.30q", mechanism, test.reply), func(t *testing.T) {
				t.Parallel()
				overTransports(t, func(t *testing.T, at string) {
					w := &world{t: t, ctx: zmqtest.Within(t), c: zmqtest.NewContext(t)}
					handler := w.socket(zmq.Rep)
					require.NoError(t, handler.Bind(endpoint))
					interval := limit // which only silence is to exceed
					if test.says == "HandshakeInterval" {
						interval = handshake
					}
					server, at := w.server(at, settings[0], zmq.HandshakeInterval.To(interval))
					m := zmqtest.Monitor(t, server, zmq.EventAll)
					began := time.Now()
					w.client(at, settings[1])
					zmqtest.RecvParts(t, handler)
					if test.says != "HandshakeInterval" {
						require.NoError(t, handler.SendMultipart(w.ctx, replyFrames(test.reply)))
					}

					e := zmqtest.Until(t, m, failures|zmq.EventHandshakeSucceeded)
					require.ErrorContains(t, e.Err, test.says, "%v", e.Event)
					require.Less(t, time.Since(began), soon)
					switch status, err := strconv.Atoi(test.says); {
					case err == nil:
						require.Equal(t, zmq.EventHandshakeFailedAuth, e.Event)
						require.Equal(t, status, e.ZAPStatus)
						require.ErrorIs(t, e.Err, syscall.EACCES)
					case test.says == "HandshakeInterval":
						require.Equal(t, zmq.EventHandshakeFailedNoDetail, e.Event)
						require.ErrorIs(t, e.Err, syscall.ETIMEDOUT)
					default:
						require.Equal(t, zmq.EventHandshakeFailedProtocol, e.Event)
						require.Equal(t, test.says, e.Protocol.String())
						require.ErrorIs(t, e.Err, syscall.EPROTO)
					}
					w.silent(server)
				})
			})
		}
	}
}

func replyFrames(reply string) (frames [][]byte) {
	for frame := range strings.SplitSeq(reply, "|") {
		frames = append(frames, []byte(frame))
	}
	return frames
}
