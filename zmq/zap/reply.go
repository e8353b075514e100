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

// maxMetadata is a limit of ours: each connection keeps its properties.
const maxMetadata = 64 << 10

// reply makes the answer that libzmq reads. It has to be right in every detail, or
// the connection hangs.
func (e envelope) reply(v verdict, userID string, metadata []byte) [][]byte {
	return [][]byte{
		e.peer,
		{},
		[]byte(version), e.requestID, []byte(strconv.Itoa(v.status)), []byte(v.text), []byte(userID), metadata,
	}
}

// identity is the user id of an accepted client unless Authorize gives another.
func (g Grant) identity(r *Request) (string, error) {
	id := g.UserID
	if id == "" {
		id = r.who()
	}
	if len(id) > maxField || strings.ContainsRune(id, 0) {
		return "", errors.New("the UserID granted is too long, or has a NUL byte")
	}
	return id, nil
}

// reserved are the properties that libzmq makes itself, or acts upon: it would
// take another routing id for the peer, for one.
var reserved = []string{"User-Id", "Routing-Id", "Identity", "Socket-Type", "Peer-Address", "Resource"}

// encode returns the metadata as a reply has it: for each the length of the name in
// one byte, the name, the length of the value in four, the value.
func (g Grant) encode() ([]byte, error) {
	var out []byte
	for _, name := range slices.Sorted(maps.Keys(g.Metadata)) {
		value := g.Metadata[name]
		switch {
		case !isPropertyName(name):
			return nil, fmt.Errorf("%.40q is no name for metadata; it has 1 to 255 letters, digits and -_.+", name)
		case slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(r, name) }):
			return nil, fmt.Errorf("the metadata %s is libzmq's own", name)
		case strings.ContainsRune(value, 0):
			return nil, fmt.Errorf("the value of the metadata %s has a NUL byte", name)
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
