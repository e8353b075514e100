#!/usr/bin/env bash
# Installs ip and tc, with which zbench's test of several hosts makes them of network
# namespaces. Does nothing where there are none: the test says so, too.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/packages.sh
source "$here/packages.sh"

if [ "$(uname -s)" != Linux ]; then exit 0; fi
# They are often outside the PATH of those who are not root.
PATH=$PATH:/usr/sbin:/sbin
if command -v ip >/dev/null 2>&1 && command -v tc >/dev/null 2>&1; then exit 0; fi
install_package "ip or tc" iproute2 "iproute iproute-tc" iproute2 iproute2mac ||
  say "going on without: the test of hosts in network namespaces will be skipped"
