package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// An archive is a packing of a release's sources that is known by its checksum.
type archive struct {
	Name    string `json:"archive"`
	Library string `json:"-"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	url     string // where it is downloaded from; "" for one that is only given as a file
}

const (
	newestLibzmq    = "4.3.5"
	newestLibsodium = "1.0.18"
)

// archives are all that zvendor reads. Of several packings of a release, the first is the
// project's own. Each checksum is published in a second place, which the comment names.
var archives = []archive{
	{ // Homebrew's formula zeromq, at the bottle of 4.3.5
		Name: "zeromq-4.3.5.tar.gz", Library: "libzmq", Version: "4.3.5",
		SHA256: "6653ef5910f17954861fe72332e68b03ca6e4d9c7160eb3a8de5a5a913bfab43",
		url:    "https://github.com/zeromq/libzmq/releases/download/v4.3.5/zeromq-4.3.5.tar.gz",
	},
	{ // the checksum in Cargo.lock files, and in scripts/libzmq.sh of this repository
		Name: "zeromq-src-0.3.6+4.3.5.crate", Library: "libzmq", Version: "4.3.5",
		SHA256: "d9a1c884770df9c1b3eb0a0ad01d7516234879e0ce144c505348550f2492923e",
	},
	{ // Homebrew's formula zeromq, at the bottle of 4.3.4
		Name: "zeromq-4.3.4.tar.gz", Library: "libzmq", Version: "4.3.4",
		SHA256: "c593001a89f5a85dd2ddf564805deb860e02471171b3f204944857336295c3e5",
		url:    "https://github.com/zeromq/libzmq/releases/download/v4.3.4/zeromq-4.3.4.tar.gz",
	},
	{ // Debian's signed zeromq3_4.3.4-6.dsc
		Name: "zeromq3_4.3.4.orig.tar.gz", Library: "libzmq", Version: "4.3.4",
		SHA256: "0ff5a531c9ffaf0dfdc7dc78d13d1383088f454896d252934c429b2554d10559",
	},
	{ // the Bazel and port recipes of several projects, with the same URL
		Name: "libsodium-1.0.18.tar.gz", Library: "libsodium", Version: "1.0.18",
		SHA256: "6f504490b342a4f8a4c4a02fc9b866cbef8622d5df4e5452b46be121e46636c1",
		url:    "https://download.libsodium.org/libsodium/releases/libsodium-1.0.18.tar.gz",
	},
	{ // Debian's signed libsodium_1.0.18-1+deb12u1.dsc
		Name: "libsodium_1.0.18.orig.tar.gz", Library: "libsodium", Version: "1.0.18",
		SHA256: "d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4",
	},
}

// libraries has what tells the root of a library's sources in an archive.
var markers = map[string]string{"libzmq": "include/zmq.h", "libsodium": "src/libsodium/include/sodium.h"}

// A tree is a library's source files by their paths.
type tree map[string][]byte

// obtain returns the sources of a library: from the file, if one is given, or downloaded.
// version may be "" if there is a file.
func obtain(library, version, file string, log io.Writer) (archive, tree, error) {
	if file != "" {
		return fromFile(library, version, file)
	}
	for _, a := range archives {
		if a.Library != library || a.Version != version || a.url == "" {
			continue
		}
		fmt.Fprintf(log, "downloading %s\n", a.url)
		data, err := download(a.url)
		if err != nil {
			return a, nil, fmt.Errorf("%w; download %s yourself and give it with --%s", err, a.Name, sourceFlags[library])
		}
		if sum := checksum(data); sum != a.SHA256 {
			return a, nil, fmt.Errorf("%s has the SHA-256 %s instead of %s: it is not the release", a.url, sum, a.SHA256)
		}
		files, err := unpack(data, markers[library])
		return a, files, err
	}
	return archive{}, nil, fmt.Errorf("there is no %s %s here: zvendor knows %s", library, version, strings.Join(versions(library), ", "))
}

var sourceFlags = map[string]string{"libzmq": "source", "libsodium": "sodium-source"}

func fromFile(library, version, file string) (archive, tree, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return archive{}, nil, err
	}
	sum := checksum(data)
	for _, a := range archives {
		if a.SHA256 != sum || a.Library != library {
			continue
		}
		if version != "" && version != a.Version {
			return a, nil, fmt.Errorf("%s is %s %s, not %s", file, library, a.Version, version)
		}
		files, err := unpack(data, markers[library])
		return a, files, err
	}
	return archive{}, nil, fmt.Errorf("%s has the SHA-256 %s, which no known archive of %s has: zvendor knows %s",
		file, sum, library, strings.Join(names(library), ", "))
}

func names(library string) (list []string) {
	for _, a := range archives {
		if a.Library == library {
			list = append(list, a.Name)
		}
	}
	return list
}

func versions(library string) (list []string) {
	for _, a := range archives {
		if a.Library == library && a.url != "" {
			list = append(list, a.Version)
		}
	}
	return list
}

func checksum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The archives have two megabytes at most, and their files thirty.
const maxArchive, maxFiles = 16 << 20, 128 << 20

func download(url string) ([]byte, error) {
	client := http.Client{Timeout: 5 * time.Minute}
	response, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("GET %s: %s", url, response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxArchive+1))
	if err == nil && len(data) > maxArchive {
		err = fmt.Errorf("GET %s: more than %d bytes", url, maxArchive)
	}
	return data, err
}

// unpack returns the files of a .tar.gz below the folder that has the marker.
func unpack(data []byte, marker string) (tree, error) {
	uncompressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("unpacking: %w", err)
	}
	all := map[string][]byte{}
	root, found := "", false
	reader := tar.NewReader(io.LimitReader(uncompressed, maxFiles))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("unpacking: %w", err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			return nil, fmt.Errorf("unpacking %s: %w", header.Name, err)
		}
		name := filepath.ToSlash(filepath.Clean(header.Name))
		all[name] = content
		if above, is := strings.CutSuffix(name, marker); is && (!found || len(above) < len(root)) {
			root, found = above, true
		}
	}
	if !found {
		return nil, fmt.Errorf("unpacking: there is no %s", marker)
	}
	files := tree{}
	for name, content := range all {
		if below, is := strings.CutPrefix(name, root); is {
			files[below] = content
		}
	}
	return files, nil
}
