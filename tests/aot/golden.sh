#!/usr/bin/env bash
# Compiles every golden model ahead of time and compares what it computes with what it computed. Where KERATIN_TEST_EVERY
# says so, a part of them, another one each day and for each folder:
# golden.sh KERATIN_COMPILE GOLDEN_FOLDER WORK PROGRAM EMULATOR [options of keratin-compile...]
set -uo pipefail
compile=$1 golden=$2 work=$3 program=$4 emulator=$5
shift 5
# shellcheck source=tests/support/sample.sh
. "$(dirname "$0")/../support/sample.sh"
mkdir -p "$work"
failed=0 count=0 taken=0
number=$(cksum <<<"${work##*/}" | cut -d' ' -f1)
print_sample
for model in "$golden"/*/*.ktg; do
  count=$((count + 1))
  is_in_sample $((number++)) || continue
  taken=$((taken + 1))
  "$compile" "$model" -o "$work/libm.so" --name=m "$@" || { failed=1; continue; }
  # shellcheck disable=SC2086
  $emulator "$program" "$work/libm.so" "${model%.ktg}.txt" || failed=1
done
echo "$taken of $count models"
[ "$count" -ge 60 ] && exit $failed
