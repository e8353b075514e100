#!/usr/bin/env bash
# Installs the commands that a target needs and that are missing, with the system's
# package manager, which has each under its own name. DRY_RUN=1 says what would be
# done.
#
#   install-tool.sh valgrind strace
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/packages.sh
source "$here/packages.sh"

if [ $# = 0 ]; then die "usage: install-tool.sh COMMAND..."; fi
for tool in "$@"; do
  if command -v "$tool" >/dev/null 2>&1; then continue; fi
  install_package "$tool" "$tool" "$tool" "$tool" "$tool"
  if [ "${DRY_RUN:-}" = 1 ]; then continue; fi
  command -v "$tool" >/dev/null 2>&1 || die "the package $tool is installed, but there is no command $tool: see to the PATH"
done
