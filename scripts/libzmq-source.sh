# shellcheck shell=bash
# libzmq's sources, for the scripts that build it: those of Debian 12, checksums
# pinned; or, with VERSION=4.3.5, that release as the Rust package zeromq-src brings it,
# by cargo. Sourced after packages.sh, from the root of the repository. The caller sets
# $work, a directory of its own that it may fill, and $log, a file.

case ${VERSION:=4.3.4} in
  4.3.4 | 4.3.5) ;;
  *) die "VERSION=$VERSION: libzmq's sources are to be had here for 4.3.4 and 4.3.5" ;;
esac
suite=bookworm
package=zeromq3
version=4.3.4-6
upstream=zeromq3_4.3.4.orig.tar.gz
debian=zeromq3_4.3.4-6.debian.tar.xz
checksums="0ff5a531c9ffaf0dfdc7dc78d13d1383088f454896d252934c429b2554d10559  $upstream
fbb0dcb4ffbf483d416d9af722db74ad4edd7004625ce10381e8cd3a71b6cd58  $debian"
archives=$PWD/build/libzmq-source
crate=0.3.6+4.3.5
crate_checksum=d9a1c884770df9c1b3eb0a0ad01d7516234879e0ce144c505348550f2492923e

# quietly COMMAND...: shows the end of the command's output if it fails.
quietly() {
  # The caller's.
  # shellcheck disable=SC2154
  if "$@" >"$log" 2>&1; then return 0; fi
  tail -n 30 "$log" >&2
  return 1
}

# need COMMAND APT DNF APK: the packages that have the command, if it is missing.
need() {
  if ! command -v "$1" >/dev/null 2>&1; then install_package "$@" ""; fi
}

# source_needs installs what unpacking and building take, apart from a compiler.
source_needs() {
  need make make make make
  need cmake cmake cmake cmake
  need patch patch patch patch
  need xz xz-utils xz xz
}

archives_there() { (cd "$archives" && sha256sum --check --strict --status <<<"$checksums" 2>/dev/null); }

# apt_source fetches the source package with lists of its own, so that the
# machine's configuration stays as it is. apt-get checks Debian's signatures.
apt_source() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
  local own=(
    -q
    -o "Dir::Etc::sourcelist=$work/sources.list"
    -o "Dir::Etc::sourceparts=$work/none"
    -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache"
  )
  command -v apt-get >/dev/null 2>&1 || return 1
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  if [ -e "$keyring" ]; then signed="[signed-by=$keyring] "; fi
  # The mirror is that of the machine's own release, which may be another one.
  # $(...) is for apt-get to fill in.
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v release="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" -v line="deb-src $signed" -v suite="$suite" \
      '$1 == release && $2 == "main" { print line $3, suite, "main" }' | sort -u >"$work/sources.list"
  quietly apt-get "${own[@]}" -o APT::Update::Error-Mode=any update || return 1
  (cd "$archives" && quietly apt-get "${own[@]}" source --download-only "$package=$version")
}

crate_there() { grep -qs "\"package\":\"$crate_checksum\"" "$archives/crates/zeromq-src/.cargo-checksum.json"; }

# fetch_crate has cargo bring the package and unpack it; cargo checks each file. Of the
# Rust in it nothing is compiled.
fetch_crate() {
  if crate_there; then return 0; fi
  need cargo cargo cargo cargo
  say "fetching the sources of libzmq $VERSION (package zeromq-src $crate)"
  mkdir -p "$archives/crate/src"
  printf '[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nzeromq-src = "=%s"\n' "$crate" >"$archives/crate/Cargo.toml"
  : >"$archives/crate/src/lib.rs"
  if ! quietly cargo vendor --manifest-path "$archives/crate/Cargo.toml" "$archives/crates" || ! crate_there; then
    die "libzmq's sources could not be fetched with cargo, or are not those of zeromq-src $crate: see to cargo's access to its registry, then run this again"
  fi
}

# fetch puts the archives into their place.
fetch() {
  mkdir -p "$archives"
  if [ "$VERSION" = 4.3.5 ]; then
    fetch_crate
    return
  fi
  if archives_there; then return 0; fi
  say "fetching the sources of $package $version"
  if apt_source && archives_there; then return 0; fi
  die "libzmq's sources could not be fetched with apt-get; put $upstream and $debian (Debian's source package $package $version; any full Debian mirror has them in pool/main/z/$package) into $archives, then run this again"
}

# unpack puts the sources, Debian's with Debian's patches, into $work/src.
unpack() {
  local patch
  if [ "$VERSION" = 4.3.5 ]; then
    cp -r "$archives/crates/zeromq-src/vendor" "$work/src"
    return
  fi
  mkdir "$work/src"
  tar -xf "$archives/$upstream" -C "$work/src" --strip-components=1
  tar -xf "$archives/$debian" -C "$work/src"
  while read -r patch; do
    case $patch in '' | '#'*) continue ;; esac
    quietly patch -d "$work/src" -p1 --batch -i "debian/patches/$patch" || die "Debian's patch $patch does not apply"
  done <"$work/src/debian/patches/series"
}
