package cluster

import (
	"crypto/sha256"
	"fmt"

	"github.com/go-zmq/go-zmq/zmq"
)

// KeyVariable names the environment variable with a secret that the coordinator and
// its agents share. With it all that they say to each other is encrypted, and who
// does not know it is not heard. It is no flag: others can see a process's flags.
const KeyVariable = "ZBENCH_KEY"

// secret makes a CURVE key of a text of any length.
func secret(text string) (string, error) {
	sum := sha256.Sum256([]byte("zbench " + text))
	key, err := zmq.Z85Encode(sum[:])
	if err != nil {
		return "", fmt.Errorf("%s: %w", KeyVariable, err)
	}
	return key, nil
}

// serverSecurity and clientSecurity return nothing for an empty text. The server's
// public key never travels: an agent has it only from the secret, so that any key of
// the agent's own will do.
func serverSecurity(text string) ([]zmq.Setting, error) {
	if text == "" {
		return nil, nil
	}
	key, err := secret(text)
	if err != nil {
		return nil, err
	}
	return []zmq.Setting{zmq.AsCurveServer(key, zmq.AllowAnyClient())}, nil
}

func clientSecurity(text string) ([]zmq.Setting, error) {
	if text == "" {
		return nil, nil
	}
	key, err := secret(text)
	if err != nil {
		return nil, err
	}
	public, err := zmq.CurvePublic(key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", KeyVariable, err)
	}
	return []zmq.Setting{zmq.AsCurveClient(public)}, nil
}
