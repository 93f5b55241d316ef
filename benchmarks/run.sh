#!/usr/bin/env bash
# Builds keratin-bench, measures the libraries it is compared with, and runs it:
# benchmarks/run.sh [arguments of keratin-bench]
# The libraries live in a virtual environment under build/, which may be deleted at any time.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
tools/build.sh release keratin-bench

environment=build/peers
[[ -x $environment/bin/python ]] || python3 -m venv "$environment"
# One by one: what cannot be installed is left out.
while read -r package; do
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$package" ||
    echo "benchmarks/run.sh: $package is left out" >&2
done <benchmarks/peers.txt

peer_arguments=()
for argument in "$@"; do
  case $argument in --clock=* | --batches=*) peer_arguments+=("$argument") ;; esac
done
"$environment/bin/python" benchmarks/peers.py "${peer_arguments[@]}" >build/peers.jsonl ||
  echo "benchmarks/run.sh: not all peers were measured" >&2
exec build/release/bin/keratin-bench --peers=build/peers.jsonl "$@"
