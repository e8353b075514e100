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

var protocolErrors = map[ProtocolError]string{
	ProtocolErrorZMTPUnspecified:                 "ZMTP_UNSPECIFIED",
	ProtocolErrorZMTPUnexpectedCommand:           "ZMTP_UNEXPECTED_COMMAND",
	ProtocolErrorZMTPInvalidSequence:             "ZMTP_INVALID_SEQUENCE",
	ProtocolErrorZMTPKeyExchange:                 "ZMTP_KEY_EXCHANGE",
	ProtocolErrorZMTPMalformedCommandUnspecified: "ZMTP_MALFORMED_COMMAND_UNSPECIFIED",
	ProtocolErrorZMTPMalformedCommandMessage:     "ZMTP_MALFORMED_COMMAND_MESSAGE",
	ProtocolErrorZMTPMalformedCommandHello:       "ZMTP_MALFORMED_COMMAND_HELLO",
	ProtocolErrorZMTPMalformedCommandInitiate:    "ZMTP_MALFORMED_COMMAND_INITIATE",
	ProtocolErrorZMTPMalformedCommandError:       "ZMTP_MALFORMED_COMMAND_ERROR",
	ProtocolErrorZMTPMalformedCommandReady:       "ZMTP_MALFORMED_COMMAND_READY",
	ProtocolErrorZMTPMalformedCommandWelcome:     "ZMTP_MALFORMED_COMMAND_WELCOME",
	ProtocolErrorZMTPInvalidMetadata:             "ZMTP_INVALID_METADATA",
	ProtocolErrorZMTPCryptographic:               "ZMTP_CRYPTOGRAPHIC",
	ProtocolErrorZMTPMechanismMismatch:           "ZMTP_MECHANISM_MISMATCH",
	ProtocolErrorZAPUnspecified:                  "ZAP_UNSPECIFIED",
	ProtocolErrorZAPMalformedReply:               "ZAP_MALFORMED_REPLY",
	ProtocolErrorZAPBadRequestID:                 "ZAP_BAD_REQUEST_ID",
	ProtocolErrorZAPBadVersion:                   "ZAP_BAD_VERSION",
	ProtocolErrorZAPInvalidStatusCode:            "ZAP_INVALID_STATUS_CODE",
	ProtocolErrorZAPInvalidMetadata:              "ZAP_INVALID_METADATA",
	ProtocolErrorWSUnspecified:                   "WS_UNSPECIFIED",
}

// String returns libzmq's name without its prefix, such as "ZMTP_MECHANISM_MISMATCH". It
// returns "NONE" for 0.
func (p ProtocolError) String() string {
	if name := protocolErrors[p]; name != "" {
		return name
	}
	if p == 0 {
		return "NONE"
	}
	return fmt.Sprintf("%#x", int32(p))
}
