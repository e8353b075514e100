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

// reserved holds the names that Grant.Metadata must not have, in lower case. libzmq sets
// them itself, takes them for the peer's, or closes the connection (mechanism.cpp,
// parse_metadata; stream_engine_base.cpp).
var reserved = []string{"identity", "socket-type", "user-id", "peer-address", "routing-id", "resource", "__fd"}

// encode returns the metadata in the format of a reply: for each entry the length of the
// name in one byte, the name, the length of the value in four bytes, the value.
func (g Grant) encode() ([]byte, error) {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(g.Metadata)) {
		value := g.Metadata[name]
		switch {
		case !isName(name, "-_.+"):
			return nil, fmt.Errorf("%.40q is not a valid metadata name; use 1 to 255 letters, digits and -_.+", name)
		case slices.Contains(reserved, strings.ToLower(name)):
			return nil, fmt.Errorf("the metadata name %s is reserved: libzmq uses it itself", name)
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

// isName reports whether a name consists of 1 to 255 letters, digits and the characters in
// special.
func isName(name, special string) bool {
	if name == "" || len(name) > 255 {
		return false
	}
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(special, c) >= 0 {
			continue
		}
		return false
	}
	return true
}
