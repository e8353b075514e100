package machine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Fingerprint says what has to be equal for numbers to be comparable: the
// processor, how many of them, whether they are real, the kernel's and Go's minor
// version, GOMAXPROCS and libzmq.
func (i Info) Fingerprint() string {
	kind := "real"
	if i.Virtual {
		kind = "virtual"
	}
	return fmt.Sprintf("%s, %d cores, %s, %s, GOMAXPROCS %d, %s, libzmq %s",
		i.CPU, i.Cores, kind, minor(i.System), i.GOMAXPROCS, minor(i.Go), i.Libzmq)
}

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

// minor cuts a version behind its second number: "go1.26.8" is "go1.26".
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 3 {
		return version
	}
	return parts[0] + "." + parts[1]
}
