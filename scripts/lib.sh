# shellcheck shell=bash
# What several scripts use: the files and Go modules of this repository, and the
# installation of operating system packages. Sourced from the root of the repository. It
# runs nothing itself.
#
# DRY_RUN=1 prints the commands that need root instead of running them.

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# our_files PATTERN...: the files that are, or will be, in the repository.
our_files() {
  local file
  git ls-files -co --exclude-standard -- "$@" | while read -r file; do
    # A file that was removed is listed until the removal is staged.
    if [ -e "$file" ]; then echo "$file"; fi
  done
}

# modules prints the directory of every module that has packages. tools/ has none: its
# go.mod only pins the versions of the tools.
modules() {
  find . -name go.mod -not -path './build/*' -not -path './.git/*' -not -path '*/testdata/*' |
    sed 's|/go.mod$||' | grep -vx ./tools | LC_ALL=C sort
}

# in_module DIR COMMAND...: runs the command in the module. Go refuses to work on modules
# outside the workspace unless GOWORK is off.
in_module() (
  dir=$1
  shift
  members=$(go list -m -f '{{.Dir}}')
  cd "$dir" || exit
  if ! grep -qxF "$(pwd -P)" <<<"$members"; then set -- env GOWORK=off "$@"; fi
  # Only the rivals whose C libraries are available are compiled in.
  if [ "$dir" = ./bench/rivals ]; then eval "$(../../scripts/rivals-env.sh)"; fi
  "$@"
)

# build_tool PACKAGE builds a tool that tools/go.mod pins, into build/bin: by default all of
# them. The tests may have another environment.
build_tool() {
  local bin=$PWD/build/bin
  (cd tools && env -u GOEXPERIMENT -u GOFLAGS -u CGO_CFLAGS -u CGO_LDFLAGS GOWORK=off GOBIN="$bin" go install "${1:-tool}")
}
build_tools() { build_tool; }

# counted reads the events of go test -json, shows them as plain output (V=1: all of it), and
# at the end repeats the failures and counts the tests. It fails if no test ran.
counted() {
  local log=build/counted.log format=pkgname status=0
  if [ "${V:-}" = 1 ]; then format=standard-verbose; fi
  mkdir -p build
  build_tool gotest.tools/gotestsum
  build/bin/gotestsum --format="$format" --format-icons=text --raw-command -- cat | tee "$log" || status=$?
  if grep -q '^DONE 0 tests' "$log"; then die "no test ran: see RUN and PKG"; fi
  return $status
}

# package_manager prints the first package manager that we can drive.
package_manager() {
  local manager
  for manager in apt-get dnf apk brew; do
    if command -v "$manager" >/dev/null 2>&1; then
      echo "$manager"
      return
    fi
  done
  return 1
}

# as_root runs a command as root: directly, or through sudo. Its output is shown only if it
# fails. sudo asks for a password on the terminal.
as_root() {
  local prefix=() output
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      say "this needs root, and there is no sudo; as root, run: $*"
      return 1
    fi
    prefix=(sudo)
  fi
  say "+ ${prefix[*]:+${prefix[*]} }$*"
  if [ "${DRY_RUN:-}" = 1 ]; then return 0; fi
  if ! output=$(${prefix[@]+"${prefix[@]}"} "$@" 2>&1 </dev/null); then
    say "$output"
    return 1
  fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"
}

# The package lists of a machine may be missing or stale. They are fetched if the package
# is unknown or cannot be installed as listed.
apt_install() {
  if apt-cache show "$@" >/dev/null 2>&1; then
    if apt_get install --no-install-recommends "$@"; then return 0; fi
  fi
  apt_get update && apt_get install --no-install-recommends "$@"
}

# brew refuses to run as root.
brew_install() {
  say "+ brew install $*"
  if [ "${DRY_RUN:-}" = 1 ]; then return 0; fi
  brew install --quiet "$@" </dev/null >&2
}

# install_package PURPOSE APT DNF APK BREW: installs packages, by their names in the four
# package managers. A name may be a list. An empty name means that another package brings
# it.
install_package() {
  local purpose=$1 manager names
  if ! manager=$(package_manager); then
    say "$purpose is missing, and none of apt-get, dnf, apk and brew is here to install it: install it by hand, then run this again"
    return 1
  fi
  case $manager in
    apt-get) names=$2 ;;
    dnf) names=$3 ;;
    apk) names=$4 ;;
    brew) names=$5 ;;
  esac
  if [ -z "$names" ]; then return 0; fi
  say "$purpose is missing: installing $names with $manager"
  # The names are a list: splitting them is the intention.
  # shellcheck disable=SC2086
  case $manager in
    apt-get) apt_install $names ;;
    dnf) as_root dnf install -q -y $names ;;
    apk) as_root apk add -q --no-cache $names ;;
    brew) brew_install $names ;;
  esac || {
    say "$purpose could not be installed ($manager, package $names): install it by hand, then run this again"
    return 1
  }
}

# unpack_debian DIR PACKAGE...: unpacks packages of Debian below DIR without installing
# them or their dependencies, and makes their .pc files relative to DIR. DIR/complete
# marks the end. Fails if there is no dpkg or no network.
unpack_debian() {
  local dir=$1 link name shared
  shift
  if [ -e "$dir/complete" ]; then return 0; fi
  command -v dpkg-deb >/dev/null 2>&1 || return 1
  say "unpacking $* in $dir"
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  # See apt_install.
  download() { (cd "$dir" && apt-get -q download "$@" >download.log 2>&1); }
  download "$@" || { apt_get update && download "$@"; } || {
    say "could not download $*: see $dir/download.log"
    return 1
  }
  for name in "$dir"/*.deb; do dpkg-deb -x "$name" "$dir"; done
  # A name for the linker may point at a file of another package, which is installed.
  while read -r link; do
    name=$(basename "$link")
    shared=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | sed -n "s|^[[:space:]]*${name//./\\.}\\.[0-9]* (.*) => ||p" | sed -n 1p)
    if [ -n "$shared" ]; then ln -sf "$shared" "$link"; fi
  done < <(find "$dir/usr/lib" -name 'lib*.so' -xtype l)
  # pkg-config checks private requirements, which only static linking needs.
  while read -r name; do
    sed -i -e "s|^prefix=.*|prefix=\${pcfiledir}/$(realpath --relative-to="$(dirname "$name")" "$dir/usr")|" \
      -e '/^Requires.private:/d' "$name"
  done < <(find "$dir/usr" -name '*.pc')
  touch "$dir/complete"
}
