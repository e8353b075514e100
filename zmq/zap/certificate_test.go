package zap_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/zmq/zap"
)

func newCertificate(t *testing.T) zap.Certificate {
	t.Helper()
	c, err := zap.NewCertificate()
	require.NoError(t, err)
	return c
}

func TestCertificateRoundTrip(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "server.cert")
	c := newCertificate(t)
	c.Metadata = map[string]string{"name": "Ada", "email": "ada@example.org", "empty": "", "quoted": `say "hi" # no comment`, "it's": "it's"}
	require.ErrorContains(t, c.Save(path), "it's")
	delete(c.Metadata, "it's")
	c.Metadata["apostrophe"] = "it's ünï"
	require.NoError(t, c.Save(path))

	got, err := zap.LoadCertificate(path)
	require.NoError(t, err)
	require.Equal(t, c.Secret, got.Secret)
	require.Equal(t, c.Metadata, got.Metadata)
	require.Equal(t, c.Keys(), got.Keys())
	got, err = zap.LoadCertificate(path + "_secret")
	require.NoError(t, err)
	require.Equal(t, c.Secret, got.Secret)
	got, err = zap.LoadPublicCertificate(path)
	require.NoError(t, err)
	require.Empty(t, got.Secret)
	require.Equal(t, c.Public, got.Public)
	require.Equal(t, c.Metadata, got.Metadata)

	for name, mode := range map[string]fs.FileMode{"": 0o644, "_secret": 0o600} {
		info, err := os.Stat(path + name)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode())
	}
	public, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(public), c.Secret)

	// If the secret file is missing or not readable, the public one is loaded.
	require.NoError(t, os.Remove(path+"_secret"))
	got, err = zap.LoadCertificate(path)
	require.NoError(t, err)
	require.Empty(t, got.Secret)
	require.NoError(t, got.Save(path))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left beside the certificate")
}

func TestCertificateSaveRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "c")
	c := newCertificate(t)
	other := newCertificate(t)
	with := func(name, value string) zap.Certificate {
		d := c
		d.Metadata = map[string]string{name: value}
		return d
	}
	long := with("a", "x")
	for i := range 16 {
		long.Metadata[strconv.Itoa(i)] = strings.Repeat("x", 4096)
	}
	for says, bad := range map[string]zap.Certificate{
		"public key: the key has 0": {},
		"secret key: the key has":   {Public: c.Public, Secret: "x"},
		"all zeros":                 {Public: strings.Repeat("0", 40)},
		"does not belong":           {Public: other.Public, Secret: c.Secret},
		`"a b" is not a valid`:      with("a b", "x"),
		`"" is not a valid`:         with("", "x"),
		"both kinds of quotes":      with("a", `'"`),
		"control characters":        with("a", "x\ny"),
		"invalid UTF-8":             with("a", "\xff"),
		"more than 4096":            with("a", strings.Repeat("x", 4097)),
		"more than 65536":           long,
	} {
		err := bad.Save(path)
		require.ErrorIs(t, err, syscall.EINVAL, says)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), c.Secret)
	}
	require.ErrorIs(t, c.Save(filepath.Join(dir, "none", "c")), fs.ErrNotExist)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries, "what is refused writes nothing")

	require.NoError(t, c.Save(path))
	require.ErrorIs(t, zap.Certificate{Public: other.Public}.Save(path), fs.ErrExist)
	require.NoError(t, zap.Certificate{Public: c.Public}.Save(path), "its own public part")
	require.NoError(t, other.Save(path), "both parts")
	got, err := zap.LoadCertificate(path)
	require.NoError(t, err)
	require.Equal(t, other.Keys(), got.Keys())

	require.NoError(t, os.WriteFile(path+"_secret", []byte("garbage"), 0o600))
	err = zap.Certificate{Public: other.Public}.Save(path)
	require.ErrorIs(t, err, syscall.EINVAL)
	require.ErrorContains(t, err, "c_secret:1: unknown section", "not that it belongs to another")
}

const (
	somePublic = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
	someSecret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
)

// The error for a file that is not a certificate names the file and the line.
func TestMalformedCertificates(t *testing.T) {
	t.Parallel()
	public := "    public-key = \"" + somePublic + "\"\n"
	dir := t.TempDir()
	for text, says := range map[string]string{
		"":                                    ":1: the file ends without a public-key",
		"metadata\n":                          ":2: the file ends without",
		"\x00\x01\x02":                        ":1: unknown section",
		public:                                ":1: the line is indented",
		"Curve\n" + public:                    ":1: unknown section",
		"curve\n" + public + public:           ":3: public-key is repeated",
		"curve\n  public-key = \"x\"":         ":2: public-key: the key has 1 characters",
		"curve\n\tpublic-key = \"x\"":         ":2: public-key: the key has 1 characters",
		"curve\n        a = b\n":              ":2: unknown name a",
		"curve\n    public-key\n":             ":2: the line has no name before a \"=\"",
		"curve\n    = x\n":                    ":2: the line has no name",
		"curve\n    public key = x\n":         ":2: the line has no name",
		"curve\n    public-key =\n":           ":2: public-key: the value is missing",
		"curve\n    public-key = #\n":         ":2: public-key: the value is missing",
		"curve\n    public-key = \"a\n":       ":2: public-key: the closing quote",
		"curve\n    public-key = \"a\" b\n":   ":2: public-key: the line has text after",
		"curve\n    public-key = \"short\"\n": ":2: public-key: the key has 5 characters; a key has 40",
		"curve\n    public-key = \"" + strings.Repeat("~", 40) + `"`:  ":2: public-key: the key is not Z85: character 1 is not in the Z85 alphabet",
		"curve\n    public-key = \"" + strings.Repeat("#", 40) + `"`:  ":2: public-key: the key is not Z85: characters 1 to 5",
		"curve\n    public-key = \"" + strings.Repeat("0", 40) + `"`:  ":2: public-key: the key is all zeros",
		"curve\n" + public + "    private-key = \"x\"\n":              ":3: unknown name private-key",
		"curve\n" + public + "    secret-key = \"" + somePublic + `"`: ":3: the two keys do not belong together",
		"curve\n    secret-key = \"" + someSecret + "\"\n":            ":3: the file ends without",
		"metadata\n    a = \"x\x01\"\ncurve\n" + public:               ":2: the metadata a has control",
		"metadata\n    a = \"\xff\"\ncurve\n" + public:                ":2: the metadata a has control",
		"metadata\n    a = 1\n    a = 2\ncurve\n" + public:            ":3: a is repeated",
		strings.Repeat("#", 64<<10) + "\n":                            "more than 65536 bytes",
	} {
		path := filepath.Join(dir, "bad")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := zap.LoadCertificate(path)
		require.ErrorIs(t, err, syscall.EINVAL, "%q", text)
		require.ErrorContains(t, err, path, "%q", text)
		require.ErrorContains(t, err, says, "%q", text)
		require.NotContains(t, err.Error(), someSecret)
	}
	_, err := zap.LoadCertificate(filepath.Join(dir, "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "none")
	_, err = zap.LoadCertificate(dir)
	require.ErrorContains(t, err, "not a regular file")
	// A malformed secret file is an error; the public one is not loaded instead.
	require.NoError(t, newCertificate(t).Save(filepath.Join(dir, "half")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half_secret"), nil, 0o600))
	_, err = zap.LoadCertificate(filepath.Join(dir, "half"))
	require.ErrorContains(t, err, "half_secret:1:")
}

// A certificate that was parsed can be saved and loaded again unchanged.
func FuzzParseCertificate(f *testing.F) {
	f.Add([]byte("# comment\nmetadata\n    name = Ada # comment\n    x = 'y'\ncurve\n    public-key = \"" + somePublic + "\"\n"))
	f.Add([]byte("curve\r\n    public-key=\"" + somePublic + "\"\n    secret-key = \"" + someSecret + "\""))
	f.Add([]byte("metadata\n    a = \"\ncurve"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := zap.ParseCertificate(text)
		if err != nil {
			require.ErrorIs(t, err, syscall.EINVAL)
			require.NotContains(t, err.Error(), someSecret)
			return
		}
		path := filepath.Join(t.TempDir(), "c")
		require.NoError(t, c.Save(path))
		again, err := zap.LoadCertificate(path)
		require.NoError(t, err)
		require.Equal(t, []any{c.Public, c.Secret, c.Metadata}, []any{again.Public, again.Secret, again.Metadata})
	})
}
