#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test: tools/test.sh [preset] [ctest arguments...]
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
tools/setup.sh
tools/build.sh "$preset"
ctest --preset "$preset" --timeout 3600 -j "$(nproc)" "$@"
