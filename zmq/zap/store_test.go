package zap_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq"
	"github.com/go-zmq/go-zmq/zmq/zap"
)

func TestDirectoryStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := zap.NewDirectoryStore(dir, 0)
	require.NoError(t, err)
	require.Zero(t, store.Len())
	a, b := newCertificate(t), newCertificate(t)
	a.Metadata["name"] = "Ada"
	require.False(t, store.Allowed("d", a.Public))

	// A file is added.
	path := filepath.Join(dir, "a")
	require.NoError(t, a.Save(path))
	require.True(t, store.Allowed("d", a.Public))
	require.False(t, store.Allowed("d", b.Public))
	require.False(t, store.Allowed("d", ""))
	got, ok := store.Certificate(a.Public)
	require.True(t, ok)
	require.Equal(t, "Ada", got.Metadata["name"])
	require.Empty(t, got.Secret, "the secret file is not looked at")
	require.Equal(t, 1, store.Len())

	// A file changes within the same clock tick and to the same size.
	for range 20 {
		text := "curve\n    public-key = \"" + b.Public + "\"\n"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.True(t, store.Allowed("d", b.Public))
		require.False(t, store.Allowed("d", a.Public))
		text = "curve\n    public-key = \"" + a.Public + "\"\n"
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.True(t, store.Allowed("d", a.Public))
		require.False(t, store.Allowed("d", b.Public))
	}

	// A file that has not changed for long is not read again.
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(path, old, old))
	require.True(t, store.Allowed("d", a.Public))
	require.NoError(t, os.Chtimes(path, old.Add(time.Minute), old.Add(time.Minute)))
	require.True(t, store.Allowed("d", a.Public))

	// A file becomes malformed.
	require.NoError(t, os.WriteFile(path, []byte("curve\n    nonsense\n"), 0o600))
	require.NoError(t, b.Save(filepath.Join(dir, "b")))
	require.False(t, store.Allowed("d", a.Public))
	require.True(t, store.Allowed("d", b.Public), "one bad file does not spoil the others")
	require.ErrorContains(t, store.Err(), path+":2:")

	// A file is deleted, and there are files to ignore.
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "directory"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".hidden"), []byte("nonsense"), 0o600))
	require.NoError(t, store.Err())
	require.Equal(t, 1, store.Len())

	// The directory itself is removed and restored.
	require.NoError(t, os.RemoveAll(dir))
	require.False(t, store.Allowed("d", b.Public))
	require.ErrorIs(t, store.Err(), fs.ErrNotExist)
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, b.Save(filepath.Join(dir, "b")))
	require.True(t, store.Allowed("d", b.Public))
	require.NoError(t, store.Err())

	_, err = zap.NewDirectoryStore(filepath.Join(dir, "none"), 0)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// A client is accepted once its certificate is in the directory. Its messages carry its
// metadata.
func TestDirectoryStoreAsPolicy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := zap.NewDirectoryStore(dir, 0)
	require.NoError(t, err)
	w := newWorld(t, zap.Policy{
		Curve: store.Allowed,
		Authorize: func(_ context.Context, r zap.Request) (zap.Grant, error) {
			c, _ := store.Certificate(r.PublicKey)
			return zap.Grant{UserID: c.Metadata["name"], Metadata: c.Metadata}, nil
		},
	})
	serverKeys, ada := newKeys(t), newCertificate(t)
	ada.Metadata["name"] = "Ada"
	server, endpoint := w.server("tcp://127.0.0.1:*", zmq.AsCurveServer(serverKeys.Secret, zmq.Authenticated("d")))
	asAda := zmq.AsCurveClient(serverKeys.Public, ada.Keys())
	w.client(endpoint, asAda)
	require.Equal(t, zap.Refused, w.decision().Status)
	require.NoError(t, ada.Save(filepath.Join(dir, "ada.cert")))
	w.client(endpoint, asAda)
	var m zmq.Message
	defer m.Close()
	require.NoError(t, server.RecvMessage(w.ctx, &m))
	for _, name := range []string{"User-Id", "name"} {
		value, err := m.Property(name)
		require.NoError(t, err)
		require.Equal(t, "Ada", value)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "ada.cert")))
	require.True(t, w.decision().Accepted())
	w.client(endpoint, asAda)
	require.Equal(t, zap.Refused, w.decision().Status)
}
