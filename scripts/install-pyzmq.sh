#!/usr/bin/env bash
# Makes the virtual environment DIR with pyzmq in it, for the interop tests, if
# it is not there yet. Touches nothing outside DIR, except that a Python without
# the venv module gets it from the system's packages.
#
#   install-pyzmq.sh DIR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/packages.sh
source "$here/packages.sh"

venv=${1:?usage: install-pyzmq.sh DIR}

if "$venv/bin/python" -c 'import zmq' >/dev/null 2>&1; then exit 0; fi

# ensurepip is what Debian keeps in a package of its own.
if ! python3 -c 'import venv, ensurepip' >/dev/null 2>&1; then
  install_package "Python with venv" "python3 python3-venv" "python3 python3-pip" "python3 py3-pip" python3
fi

say "pyzmq is missing: installing it in $venv"
# A half-made environment, from a run that was interrupted, is made anew.
python3 -m venv --clear "$venv"
if ! output=$("$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
  --prefer-binary 'pyzmq>=25,<28' 2>&1); then
  say "$output"
  die "pyzmq could not be installed in $venv; the interop tests need it: see to pip's access to a package index, then run this again"
fi
"$venv/bin/python" -c 'import zmq' || die "pyzmq is installed in $venv but does not work: remove $venv and run this again"
