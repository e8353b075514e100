package zap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxMetadata is our own limit, because each connection keeps its properties.
const maxMetadata = 64 << 10

// reply returns the reply for libzmq. The connection hangs if any detail is wrong.
func (e envelope) reply(v verdict, userID string, metadata []byte) [][]byte {
	return [][]byte{
		e.peer,
		{},
		[]byte(version), e.requestID, []byte(strconv.Itoa(v.status)), []byte(v.text), []byte(userID), metadata,
	}
}

// identity returns the user id of an accepted client.
func (g Grant) identity(r *Request) (string, error) {
	id := g.UserID
	if id == "" {
		id = r.who()
	}
	if len(id) > maxField || strings.ContainsRune(id, 0) {
		return "", errors.New("the UserID of the Grant has more than 255 bytes, or a NUL byte")
	}
	return id, nil
}

// reserved maps the names that Grant.Metadata must not have, in lower case, to what libzmq
// does with them (mechanism.cpp, parse_metadata; stream_engine_base.cpp).
var reserved = map[string]string{
	"identity":     "libzmq takes it for the peer's routing id",
	"socket-type":  "libzmq compares it with the socket's type and closes the connection",
	"user-id":      "libzmq sets it from Grant.UserID",
	"peer-address": "libzmq sets it to the peer's address",
	"routing-id":   "it is the routing id that the peer sent",
	"resource":     "it is the resource that the peer sent",
	"__fd":         "libzmq keeps the connection's descriptor there",
}

// encode returns the metadata in the format of a reply: for each entry the length of the
// name in one byte, the name, the length of the value in four bytes, the value.
func (g Grant) encode() ([]byte, error) {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(g.Metadata)) {
		value := g.Metadata[name]
		switch {
		case !isPropertyName(name):
			return nil, fmt.Errorf("%.40q is not a valid metadata name: use 1 to 255 letters, digits and -_.+", name)
		case reserved[strings.ToLower(name)] != "":
			return nil, fmt.Errorf("the metadata name %s is reserved: %s", name, reserved[strings.ToLower(name)])
		case strings.ContainsRune(value, 0):
			return nil, fmt.Errorf("the metadata %s has a NUL byte in its value", name)
		case len(out)+len(name)+len(value)+5 > maxMetadata:
			return nil, fmt.Errorf("the metadata has more than %d bytes", maxMetadata)
		}
		out = append(out, byte(len(name)))
		out = append(out, name...)
		out = binary.BigEndian.AppendUint32(out, uint32(len(value)))
		out = append(out, value...)
	}
	return out, nil
}

func isPropertyName(name string) bool {
	if name == "" || len(name) > 255 {
		return false
	}
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.+", c) >= 0 {
			continue
		}
		return false
	}
	return true
}
