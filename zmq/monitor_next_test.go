package zmq_test

import (
	"context"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
)

// With DontWait, Next returns what libzmq has reported, and ErrAgain if that is nothing.
func TestMonitorNextDontWait(t *testing.T) {
	t.Parallel()
	networks(t, func(t *testing.T, endpoint string) {
		ctx := context.Background()
		zctx := newContext(t)
		s := newSocket(t, zctx, zmq.Pull)
		m := monitor(t, s, zmq.EventListening|zmq.EventMonitorStopped)
		none := func() {
			t.Helper()
			_, err := m.Next(ctx, zmq.DontWait)
			require.ErrorIs(t, err, zmq.ErrAgain)
			require.ErrorIs(t, err, syscall.EAGAIN)
		}
		none()
		none()
		for range 50 {
			// Bind reports before it returns, so the event is there.
			require.NoError(t, s.Bind(endpoint))
			e, err := m.Next(ctx, zmq.DontWait)
			require.NoError(t, err)
			require.Equal(t, zmq.EventListening, e.Event)
			require.Equal(t, last(t, s), e.Endpoint)
			none()
			require.NoError(t, s.Unbind(last(t, s)))
		}
		done, cancel := context.WithCancel(ctx)
		cancel()
		_, err := m.Next(done, zmq.DontWait)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, s.Close())
		e, err := m.Next(ctx, zmq.DontWait)
		require.NoError(t, err)
		require.Equal(t, zmq.EventMonitorStopped, e.Event)
		_, err = m.Next(ctx, zmq.DontWait)
		require.ErrorIs(t, err, zmq.ErrClosed)
	})
}

// Polling an empty monitor allocates nothing.
func TestMonitorNextDontWaitAllocates(t *testing.T) {
	s := newSocket(t, newContext(t), zmq.Pull)
	m := monitor(t, s, zmq.EventAll)
	ctx := context.Background()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := m.Next(ctx, zmq.DontWait); err == nil {
			panic("an event")
		}
	}))
}

func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	for p, name := range map[zmq.ProtocolError]string{
		0:                                      "NONE",
		7:                                      "0x7",
		zmq.ProtocolErrorZMTPUnspecified:       "ZMTP_UNSPECIFIED",
		zmq.ProtocolErrorZMTPUnexpectedCommand: "ZMTP_UNEXPECTED_COMMAND",
		zmq.ProtocolErrorZMTPInvalidSequence:   "ZMTP_INVALID_SEQUENCE",
		zmq.ProtocolErrorZMTPKeyExchange:       "ZMTP_KEY_EXCHANGE",
		zmq.ProtocolErrorZMTPMalformedCommandUnspecified: "ZMTP_MALFORMED_COMMAND_UNSPECIFIED",
		zmq.ProtocolErrorZMTPMalformedCommandMessage:     "ZMTP_MALFORMED_COMMAND_MESSAGE",
		zmq.ProtocolErrorZMTPMalformedCommandHello:       "ZMTP_MALFORMED_COMMAND_HELLO",
		zmq.ProtocolErrorZMTPMalformedCommandInitiate:    "ZMTP_MALFORMED_COMMAND_INITIATE",
		zmq.ProtocolErrorZMTPMalformedCommandError:       "ZMTP_MALFORMED_COMMAND_ERROR",
		zmq.ProtocolErrorZMTPMalformedCommandReady:       "ZMTP_MALFORMED_COMMAND_READY",
		zmq.ProtocolErrorZMTPMalformedCommandWelcome:     "ZMTP_MALFORMED_COMMAND_WELCOME",
		zmq.ProtocolErrorZMTPInvalidMetadata:             "ZMTP_INVALID_METADATA",
		zmq.ProtocolErrorZMTPCryptographic:               "ZMTP_CRYPTOGRAPHIC",
		zmq.ProtocolErrorZMTPMechanismMismatch:           "ZMTP_MECHANISM_MISMATCH",
		zmq.ProtocolErrorZAPUnspecified:                  "ZAP_UNSPECIFIED",
		zmq.ProtocolErrorZAPMalformedReply:               "ZAP_MALFORMED_REPLY",
		zmq.ProtocolErrorZAPBadRequestID:                 "ZAP_BAD_REQUEST_ID",
		zmq.ProtocolErrorZAPBadVersion:                   "ZAP_BAD_VERSION",
		zmq.ProtocolErrorZAPInvalidStatusCode:            "ZAP_INVALID_STATUS_CODE",
		zmq.ProtocolErrorZAPInvalidMetadata:              "ZAP_INVALID_METADATA",
		zmq.ProtocolErrorWSUnspecified:                   "WS_UNSPECIFIED",
	} {
		require.Equal(t, name, p.String())
	}
	// As zmq.h numbers them; the first of each kind, and the last.
	require.EqualValues(t, 0x10000000, zmq.ProtocolErrorZMTPUnspecified)
	require.EqualValues(t, 0x10000011, zmq.ProtocolErrorZMTPMalformedCommandUnspecified)
	require.EqualValues(t, 0x10000018, zmq.ProtocolErrorZMTPInvalidMetadata)
	require.EqualValues(t, 0x11000001, zmq.ProtocolErrorZMTPCryptographic)
	require.EqualValues(t, 0x20000000, zmq.ProtocolErrorZAPUnspecified)
	require.EqualValues(t, 0x20000005, zmq.ProtocolErrorZAPInvalidMetadata)
	require.EqualValues(t, 0x30000000, zmq.ProtocolErrorWSUnspecified)
}
