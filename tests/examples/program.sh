#!/usr/bin/env bash
# Runs an example once for each list of arguments, and judges what the last prints:
#   program.sh BUILD SOURCE WORK NAME PATTERN LEAST ARGUMENTS…
set -euo pipefail
build=$1 source=$2 work=$3/$4 name=$4 pattern=$5 least=$6
shift 6
rm -rf "$work"
mkdir -p "$work"
cd "$work"
for arguments in "$@"; do
  # shellcheck disable=SC2086
  "$build/examples/$name" $arguments | tee out.txt
done
"$source/tests/examples/judge.sh" "$pattern" "$least" out.txt
