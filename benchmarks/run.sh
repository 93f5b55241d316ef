#!/usr/bin/env bash
# Builds keratin-bench and runs it beside the libraries it is compared with: benchmarks/run.sh [arguments of peers.py]
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh release keratin-bench
exec python3 benchmarks/peers.py "$@"
