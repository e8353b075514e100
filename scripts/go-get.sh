#!/usr/bin/env bash
# Does what a user does after a release: packs the modules of this tree into a module
# proxy of files, and in empty modules with a new cache gets the root, builds and runs the
# program of the README, and installs zbench.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

module=github.com/go-zmq/go-zmq
# A new version each time, and none that will be published: go never looks at a version
# again.
version=v0.0.0-0.goget.$(date +%s)
root=$PWD
work=$PWD/build/go-get
downloaded=$(go env GOMODCACHE)/cache/download
proxies=$(go env GOPROXY)

# Only go can remove the read-only files of a module cache.
if [ -d "$work/cache" ]; then GOMODCACHE=$work/cache go clean -modcache; fi
rm -rf "$work"
mkdir -p "$work/user" "$work/bin" "$work/tree"

# The modules that users get, besides the root.
commands=(cmd/zbench cmd/zcat cmd/zvendor)
libraries=(contrib/zmqprom contrib/zmqotel)

# A copy of the files that git has or would have. Its modules require the root in the same
# version, with the line that a release adds.
git ls-files -co --exclude-standard | while read -r file; do
  if [ -f "$file" ]; then echo "$file"; fi
done | tar -cf - -T - | tar -xf - -C "$work/tree"
released=("$work/tree")
for name in "${commands[@]}" "${libraries[@]}"; do
  (cd "$work/tree/$name" && GOWORK=off go mod edit -require="$module@$version")
  if grep -n '^replace' go.mod "$name/go.mod"; then
    die "go-get: go install of a version refuses a module with a replace directive"
  fi
  released+=("$work/tree/$name")
done
(cd tools/modproxy && GOWORK=off go build -o "$root/build/bin/" .)
build/bin/modproxy -out "$work/proxy" -version "$version" "${released[@]}"

# Uses the modules that are already downloaded. The checksum of this version is not
# published.
export GOWORK=off GOFLAGS='' GOMODCACHE=$work/cache GOBIN=$work/bin GONOSUMDB="$module,$module/*"
export GOPROXY="file://$work/proxy,file://$downloaded,$proxies"
go_quietly() {
  if ! go "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    die "go-get: failed: go $*"
  fi
}

cd "$work/user"
go_quietly mod init example.com/user
go_quietly get "$module@$version"
# The README's first program.
awk '/^```$/ { inside = 0 } inside { print } /^```go$/ && !done { inside = done = 1 }' "$root/README.md" >main.go
go_quietly build -o user .
said=$(./user)
[ -n "$said" ] || die "go-get: the README's program printed nothing"

# The modules of the program, by the module graph and by the binary.
others() { grep -vx -e "$module" -e example.com/user -e '' || true; }
foreign=$(go list -deps -f '{{with .Module}}{{.Path}}{{end}}' "$module/zmq/..." "$module/poller/..." "$module/pool/..." | sort -u | others)
[ -z "$foreign" ] || die "go-get: the binding depends on: $foreign"
foreign=$(go version -m user | awk '$1 == "dep" { print $2 }' | others)
[ -z "$foreign" ] || die "go-get: the README's program has in it: $foreign"

# A program that uses every package, with the modules of contrib.
mkdir "$work/all"
cd "$work/all"
go_quietly mod init example.com/all
for name in "${libraries[@]}"; do go_quietly get "$module/$name@$version"; done
{
  echo 'package main'
  for name in zmq zmq/follow zmq/replay zmq/request zmq/task zmq/zap zmq/zmqtest poller pool "${libraries[@]}"; do
    echo "import _ \"$module/$name\""
  done
  echo 'func main() {}'
} >main.go
go_quietly mod tidy
go_quietly build -o all .
./all

for name in "${commands[@]}"; do go_quietly install "$module/$name@$version"; done
found=$(go version -m "$work/bin/zbench" | awk -v m="$module/cmd/zbench" '$1 == "mod" && $2 == m { print $3 }')
[ "$found" = "$version" ] || die "go-get: zbench says it is $found, not $version"
"$work/bin/zbench" env >"$work/log" 2>&1 || die "go-get: the installed zbench does not run: $(cat "$work/log")"
"$work/bin/zcat" --version >"$work/log" 2>&1 || die "go-get: the installed zcat does not run: $(cat "$work/log")"

go clean -modcache
echo "go-get: ok: go get $module builds the README's program, which says \"$said\" and has no other module in it; every package builds, and go install of ${commands[*]} works"
