#!/usr/bin/env bash
# Installs what is missing, builds, and runs the main job: a C++ program that defines a network with K::, compiles its training step and
# trains it on handwritten digits.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh release digits second_order
build/release/examples/digits examples/data/digits.csv
build/release/examples/second_order
