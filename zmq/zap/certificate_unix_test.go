//go:build unix

package zap_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq/zap"
)

// Opening a pipe would wait for a writer.
func TestLoadCertificateRefusesPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := zap.LoadCertificate(path)
	require.ErrorContains(t, err, "not a regular file")
}
