package zmq

import "fmt"

// ProtocolError is libzmq's reason for EventHandshakeFailedProtocol.
type ProtocolError int32

// The reasons that libzmq reports, named after the constants ZMQ_PROTOCOL_ERROR_* of
// zmq.h. The ZMTP errors concern what the peer sent. The ZAP errors concern the answer of
// the ZAP handler.
const (
	ProtocolErrorZMTPUnspecified                 ProtocolError = 0x10000000
	ProtocolErrorZMTPUnexpectedCommand           ProtocolError = 0x10000001
	ProtocolErrorZMTPInvalidSequence             ProtocolError = 0x10000002
	ProtocolErrorZMTPKeyExchange                 ProtocolError = 0x10000003
	ProtocolErrorZMTPMalformedCommandUnspecified ProtocolError = 0x10000011
	ProtocolErrorZMTPMalformedCommandMessage     ProtocolError = 0x10000012
	ProtocolErrorZMTPMalformedCommandHello       ProtocolError = 0x10000013
	ProtocolErrorZMTPMalformedCommandInitiate    ProtocolError = 0x10000014
	ProtocolErrorZMTPMalformedCommandError       ProtocolError = 0x10000015
	ProtocolErrorZMTPMalformedCommandReady       ProtocolError = 0x10000016
	ProtocolErrorZMTPMalformedCommandWelcome     ProtocolError = 0x10000017
	ProtocolErrorZMTPInvalidMetadata             ProtocolError = 0x10000018
	ProtocolErrorZMTPCryptographic               ProtocolError = 0x11000001
	ProtocolErrorZMTPMechanismMismatch           ProtocolError = 0x11000002
	ProtocolErrorZAPUnspecified                  ProtocolError = 0x20000000
	ProtocolErrorZAPMalformedReply               ProtocolError = 0x20000001
	ProtocolErrorZAPBadRequestID                 ProtocolError = 0x20000002
	ProtocolErrorZAPBadVersion                   ProtocolError = 0x20000003
	ProtocolErrorZAPInvalidStatusCode            ProtocolError = 0x20000004
	ProtocolErrorZAPInvalidMetadata              ProtocolError = 0x20000005
	ProtocolErrorWSUnspecified                   ProtocolError = 0x30000000
)

// protocolErrors holds libzmq's names of the errors, by the number of the first of sixteen.
var protocolErrors = map[ProtocolError][]string{
	0x10000000: {"ZMTP_UNSPECIFIED", "ZMTP_UNEXPECTED_COMMAND", "ZMTP_INVALID_SEQUENCE", "ZMTP_KEY_EXCHANGE"},
	0x10000010: {
		"", "ZMTP_MALFORMED_COMMAND_UNSPECIFIED", "ZMTP_MALFORMED_COMMAND_MESSAGE", "ZMTP_MALFORMED_COMMAND_HELLO",
		"ZMTP_MALFORMED_COMMAND_INITIATE", "ZMTP_MALFORMED_COMMAND_ERROR", "ZMTP_MALFORMED_COMMAND_READY",
		"ZMTP_MALFORMED_COMMAND_WELCOME", "ZMTP_INVALID_METADATA",
	},
	0x11000000: {"", "ZMTP_CRYPTOGRAPHIC", "ZMTP_MECHANISM_MISMATCH"},
	0x20000000: {
		"ZAP_UNSPECIFIED", "ZAP_MALFORMED_REPLY", "ZAP_BAD_REQUEST_ID", "ZAP_BAD_VERSION", "ZAP_INVALID_STATUS_CODE",
		"ZAP_INVALID_METADATA",
	},
	0x30000000: {"WS_UNSPECIFIED"},
}

// String returns libzmq's name without its prefix, such as "ZMTP_MECHANISM_MISMATCH". It
// returns "NONE" for 0.
func (p ProtocolError) String() string {
	names := protocolErrors[p&^0xf]
	if i := int(p & 0xf); i < len(names) && names[i] != "" {
		return names[i]
	}
	if p == 0 {
		return "NONE"
	}
	return fmt.Sprintf("%#x", int32(p))
}
