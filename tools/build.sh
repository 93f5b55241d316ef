#!/usr/bin/env bash
# Configures and builds: tools/build.sh <preset> [target...]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
# Another compiler's cache would be kept by CMake whatever the preset says.
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" ${1:+--target "$@"}
