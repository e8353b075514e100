package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq/zap"
)

func TestZcert(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "server.cert")
	var out, faults strings.Builder
	require.Zero(t, run([]string{"-meta", "name=backend", "-meta", "mail=a@b", path}, &out, &faults), faults.String())
	require.Empty(t, faults.String())
	c, err := zap.LoadCertificate(path)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"name": "backend", "mail": "a@b"}, c.Metadata)
	require.Contains(t, out.String(), c.Public)
	require.NotContains(t, out.String(), c.Secret)
	info, err := os.Stat(path + "_secret")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
	public, err := zap.LoadPublicCertificate(path)
	require.NoError(t, err)
	require.Empty(t, public.Secret)

	// Existing files are not overwritten.
	require.Equal(t, 1, run([]string{path}, &out, &faults))
	require.Contains(t, faults.String(), "is there already")
	require.NoError(t, os.Remove(path))
	require.Equal(t, 1, run([]string{path}, &out, &faults))
	again, err := zap.LoadCertificate(path + "_secret")
	require.NoError(t, err)
	require.Equal(t, c.Secret, again.Secret)
}

func TestZcertRefuses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.cert")
	for _, bad := range []struct {
		args   []string
		status int
	}{
		{nil, 2},
		{[]string{path, "more"}, 2},
		{[]string{"-unknown", path}, 2},
		{[]string{"-meta", "nameless", path}, 2},
		{[]string{"-meta", "a b=c", path}, 1},
		{[]string{filepath.Join(path, "nowhere")}, 1},
	} {
		var out, faults strings.Builder
		require.Equal(t, bad.status, run(bad.args, &out, &faults), bad.args)
		require.NotEmpty(t, faults.String())
		require.Empty(t, out.String())
		require.NoFileExists(t, path)
		require.NoFileExists(t, path+"_secret")
	}
}
