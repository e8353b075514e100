package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*"))

const manifestName = "zvendor.json"

// curve says where the code for CURVE comes from.
const (
	curveBuiltin = "builtin"
	curveSystem  = "system"
	curveOff     = "off"
)

// Options are what the user chooses.
type options struct {
	Curve string `json:"curve"`
	Draft bool   `json:"draft"`
	Tuned bool   `json:"tuned"`
}

// A manifest says how a folder was generated. It is a file of the folder.
type manifest struct {
	Format    int               `json:"format"`
	Package   string            `json:"package"`
	Options   options           `json:"options"`
	Libzmq    archive           `json:"libzmq"`
	Libsodium *archive          `json:"libsodium,omitempty"`
	Files     map[string]string `json:"files"` // SHA-256
}

// manifestFormat changes when the same options lead to other files.
const manifestFormat = 1

// sources are what a package is generated from.
type sources struct {
	libzmq, libsodium           archive
	libzmqFiles, libsodiumFiles tree // libsodiumFiles is nil if it is not compiled in
}

// needsSodium reports whether this release has no code for CURVE of its own.
func needsSodium(o options, libzmq tree) bool {
	return o.Curve == curveBuiltin && libzmq["src/tweetnacl.c"] == nil
}

// unused are files that belong to transports and systems that zvendor has no configuration
// for. They would be empty.
var unused = regexp.MustCompile(`^src/(precompiled|devpoll|pollset|poll|select|tipc_\w+|vmci\w*|pgm_\w+|norm_\w+|wss?_\w+|gssapi_\w+)\.cpp$`)

// sodiumFiles are the files of libsodium that CURVE needs, below src/libsodium.
var sodiumFiles = strings.Fields(`
	crypto_box/crypto_box.c
	crypto_box/crypto_box_easy.c
	crypto_box/curve25519xsalsa20poly1305/box_curve25519xsalsa20poly1305.c
	crypto_core/ed25519/ref10/ed25519_ref10.c
	crypto_core/hsalsa20/core_hsalsa20.c
	crypto_core/hsalsa20/ref2/core_hsalsa20_ref2.c
	crypto_core/salsa/ref/core_salsa_ref.c
	crypto_hash/sha512/cp/hash_sha512_cp.c
	crypto_hash/sha512/hash_sha512.c
	crypto_onetimeauth/crypto_onetimeauth.c
	crypto_onetimeauth/poly1305/donna/poly1305_donna.c
	crypto_onetimeauth/poly1305/onetimeauth_poly1305.c
	crypto_onetimeauth/poly1305/sse2/poly1305_sse2.c
	crypto_scalarmult/crypto_scalarmult.c
	crypto_scalarmult/curve25519/ref10/x25519_ref10.c
	crypto_scalarmult/curve25519/scalarmult_curve25519.c
	crypto_secretbox/crypto_secretbox.c
	crypto_secretbox/crypto_secretbox_easy.c
	crypto_secretbox/xsalsa20poly1305/secretbox_xsalsa20poly1305.c
	crypto_stream/chacha20/ref/chacha20_ref.c
	crypto_stream/chacha20/stream_chacha20.c
	crypto_stream/salsa20/ref/salsa20_ref.c
	crypto_stream/salsa20/stream_salsa20.c
	crypto_stream/salsa20/xmm6int/salsa20_xmm6int-sse2.c
	crypto_stream/xsalsa20/stream_xsalsa20.c
	crypto_verify/sodium/verify.c
	randombytes/randombytes.c
	randombytes/sysrandom/randombytes_sysrandom.c
	sodium/core.c
	sodium/runtime.c
	sodium/utils.c`)

// notChosen are functions of libsodium that choose code for parts which CURVE does not use.
var notChosen = []string{
	"_crypto_generichash_blake2b_pick_best_implementation", "_crypto_pwhash_argon2_pick_best_implementation",
}

// zmqNames matches what libzmq defines outside of its namespace.
var zmqNames = regexp.MustCompile(`\b(?:zmq_\w+|node_t|make_node|match_result_t)\b`)

// sodiumNames matches what libsodium and tweetnacl define.
var sodiumNames = regexp.MustCompile(`\b_?(?:crypto|sodium|randombytes|[fgs][ec]25519|ristretto255)(?:_\w+)?\b`)

// generate returns the files of the package with the import path pkg, named name.
func generate(pkg, name string, o options, from sources) (map[string][]byte, error) {
	files := map[string][]byte{}
	zmq := flattener{
		files: from.libzmqFiles, dirs: []string{"src", "include"}, name: zmqName, out: files, from: map[string]string{},
		other: map[string]string{},
	}
	if from.libsodiumFiles != nil {
		zmq.other["sodium.h"] = sodiumName("src/libsodium/include/sodium.h")
	}
	units, err := addUnits(&zmq)
	if err != nil {
		return nil, err
	}
	if err := addC(&zmq, "external/wepoll/wepoll.c", `"zvendor_names.h"`); err != nil {
		return nil, err
	}
	renamed := identifiers(files, zmqNames)
	tweetnacl := o.Curve == curveBuiltin && from.libsodiumFiles == nil
	if tweetnacl {
		if err := addC(&zmq, "src/tweetnacl.c", `"zvendor_names.h"`, `"platform.hpp"`); err != nil {
			return nil, err
		}
		nacl := map[string][]byte{"c": files["tweetnacl.c"], "h": files["tweetnacl.h"]}
		renamed = append(renamed, identifiers(nacl, sodiumNames)...)
	}
	if from.libsodiumFiles != nil {
		names, err := addSodium(files, from.libsodiumFiles)
		if err != nil {
			return nil, err
		}
		renamed = append(renamed, names...)
	}
	if err := tune(files, o); err != nil {
		return nil, err
	}
	addLicenses(files, from)
	return files, addGenerated(files, pkg, name, o, from, units, renamed, tweetnacl)
}

// addUnits adds libzmq's files and its header, and returns what the one unit includes.
func addUnits(zmq *flattener) (units []string, err error) {
	for file := range zmq.files {
		if path.Dir(file) == "src" && path.Ext(file) == ".cpp" && !unused.MatchString(file) {
			units = append(units, file)
		}
	}
	slices.Sort(units)
	for i, file := range units {
		if units[i], err = zmq.add(file); err != nil {
			return nil, err
		}
	}
	_, err = zmq.add("include/zmq.h")
	return units, err
}

// zmqName keeps cgo from compiling libzmq's own files one by one: they are included in one unit.
func zmqName(file string) string {
	name := path.Base(file)
	switch {
	case name == "wepoll.c":
		return "wepoll_windows.c" // cgo compiles it for Windows only
	case path.Ext(name) == ".cpp":
		return name + ".h"
	}
	return name
}

func sodiumName(file string) string {
	return "sodium_" + strings.ReplaceAll(strings.TrimPrefix(file, "src/libsodium/"), "/", "_")
}

// addC adds a file that cgo compiles. It begins with includes of this package's headers.
func addC(f *flattener, file string, headers ...string) error {
	name, err := f.add(file)
	if err != nil {
		return err
	}
	begin := ""
	for _, header := range headers {
		begin += "#include " + header + "\n"
	}
	f.out[name] = append(fmt.Appendf(nil, "%s#line 1 %q\n", begin, path.Base(file)), f.out[name]...)
	return nil
}

// addSodium adds what CURVE needs of libsodium, and returns the names that it defines.
func addSodium(files map[string][]byte, from tree) ([]string, error) {
	out := map[string][]byte{}
	const include = "src/libsodium/include"
	const version = include + "/sodium/version.h"
	all := tree{version: nil}
	for name, content := range from {
		all[name] = content
	}
	sodium := flattener{
		files: all, dirs: []string{include, include + "/sodium"}, name: sodiumName, out: out, from: map[string]string{},
		other: map[string]string{
			"version.h": sodiumName(version), "sodium/version.h": sodiumName(version), version: sodiumName(version),
		},
	}
	if _, err := sodium.add(include + "/sodium.h"); err != nil {
		return nil, err
	}
	for _, file := range sodiumFiles {
		if err := addC(&sodium, "src/libsodium/"+file, `"zvendor_sodium_config.h"`, `"zvendor_names.h"`); err != nil {
			return nil, err
		}
	}
	for name, content := range out {
		files[name] = content
	}
	return slices.DeleteFunc(identifiers(out, sodiumNames), func(name string) bool { return slices.Contains(notChosen, name) }), nil
}

// tune compiles batches of 128 KiB in. Without the draft API, libzmq has no option for them.
func tune(files map[string][]byte, o options) error {
	if !o.Tuned {
		return nil
	}
	const name = "options.cpp.h"
	content := string(files[name])
	for _, batch := range []string{"in_batch_size", "out_batch_size"} {
		usual := batch + " (8192)"
		if strings.Count(content, " "+usual) != 1 {
			return fmt.Errorf("--tuned: %s has no line %s: this release is not one that zvendor knows", name, usual)
		}
		content = strings.Replace(content, " "+usual, " "+batch+" (131072)", 1)
	}
	files[name] = []byte(content)
	return nil
}

// addLicenses adds the texts that must go with the sources.
func addLicenses(files map[string][]byte, from sources) {
	for _, name := range []string{"LICENSE", "COPYING", "COPYING.LESSER", "AUTHORS"} {
		if content := from.libzmqFiles[name]; content != nil {
			files[name] = content
		}
	}
	if from.libsodiumFiles != nil {
		files["LICENSE.libsodium"] = from.libsodiumFiles["LICENSE"]
	}
}

// prefix begins the names of what this package defines.
func prefix(pkg string) string {
	sum := sha256.Sum256([]byte(pkg))
	return "zv" + hex.EncodeToString(sum[:4]) + "_"
}

// addGenerated adds the files that are not the libraries' own, and the manifest.
func addGenerated(files map[string][]byte, pkg, name string, o options, from sources, units, renamed []string, tweetnacl bool) error {
	about := manifest{Format: manifestFormat, Package: pkg, Options: o, Libzmq: from.libzmq, Files: map[string]string{}}
	if from.libsodiumFiles != nil {
		about.Libsodium = &from.libsodium
	}
	functions := exported(from.libzmqFiles["include/zmq.h"], o.Draft)
	data := struct {
		manifest
		options
		Name, Prefix, Manifest, License string
		Tweetnacl                       bool
		Units, Renamed, Functions       []string
		NotChosen                       []string
	}{
		about, o, name, prefix(pkg), manifestName, license(files), tweetnacl, units, renamed,
		// It is declared for some systems only, and go-zmq does not call it.
		slices.DeleteFunc(functions, func(name string) bool { return name == "zmq_ppoll" }), notChosen,
	}
	generated := map[string]string{
		name + ".go": "package.go.tmpl", "platform.hpp": "platform.hpp", "libzmq.cpp": "libzmq.cpp",
		"zvendor_imports.h": "imports.h", "zvendor_names.h": "names.h", "zvendor_register.c": "register.c",
	}
	if from.libsodiumFiles != nil {
		generated["zvendor_sodium.c"] = "sodium.c"
		generated["zvendor_sodium_config.h"] = "sodium_config.h"
		generated[sodiumName("src/libsodium/include/sodium/version.h")] = "sodium_version.h"
	}
	for file, templated := range generated {
		var text bytes.Buffer
		if err := templates.ExecuteTemplate(&text, templated, data); err != nil {
			return err
		}
		files[file] = text.Bytes()
	}
	for file, content := range files {
		about.Files[file] = checksum(content)
	}
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	files[manifestName] = append(text, '\n')
	return nil
}

// license returns what the license asks of those who distribute the program.
func license(files map[string][]byte) string {
	if files["COPYING.LESSER"] != nil {
		return "This release is under the LGPL 3 with an exception for static linking, see COPYING.LESSER."
	}
	return "libzmq is under the Mozilla Public License 2.0, see LICENSE."
}
