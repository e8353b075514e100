package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// ID returns a short name of what i says, without what changes from one minute to
// the next.
func (i Info) ID() string {
	i.Load, i.MHz, i.Steal = 0, 0, 0
	data, err := json.Marshal(i)
	if err != nil {
		panic(err) // it has only strings and numbers
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}

// Minor cuts a version after its second number: "go1.26.8" is "go1.26".
func Minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 3 {
		return version
	}
	return parts[0] + "." + parts[1]
}
