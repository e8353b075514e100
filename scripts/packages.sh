# shellcheck shell=bash
# Installing a package of the operating system. Sourced by the install scripts
# and by .ci/run; it runs nothing by itself.
#
# DRY_RUN=1 prints the commands instead of running them.

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
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

# as_root runs a command as root: directly, or through sudo. Its output is
# shown only when it fails. sudo asks for a password on the terminal, not here.
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

# A new machine has no package lists and an old one has stale ones, so the
# lists are fetched when the package is unknown, or cannot be had as listed.
apt_install() {
  if apt-cache show "$@" >/dev/null 2>&1; then
    if apt_get install --no-install-recommends "$@"; then return 0; fi
  fi
  apt_get update && apt_get install --no-install-recommends "$@"
}

# brew refuses to run as root and says so itself.
brew_install() {
  say "+ brew install $*"
  if [ "${DRY_RUN:-}" = 1 ]; then return 0; fi
  brew install --quiet "$@" </dev/null >&2
}

# install_package PURPOSE APT DNF APK BREW: installs what goes by the given
# names (a list with spaces; empty: it comes with another package) in the four
# package managers.
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
