#!/usr/bin/env bash
# Compiles every golden model ahead of time and compares what it computes with what it computed. Where KERATIN_TEST_EVERY
# says so, a part of them, another one each day and for each folder:
# golden.sh KERATIN_COMPILE GOLDEN_FOLDER WORK PROGRAM EMULATOR [options of keratin-compile...]
set -uo pipefail
compile=$1 golden=$2 work=$3 program=$4 emulator=$5
shift 5
mkdir -p "$work"
failed=0 count=0 taken=0
every=${KERATIN_TEST_EVERY:-1}
seed=${KERATIN_TEST_SEED:-$(($(date +%s) / 86400 * 100000))}
number=$((seed / 100000 + $(cksum <<<"${work##*/}" | cut -d' ' -f1)))
((every > 1)) && echo "KERATIN_TEST_EVERY=$every KERATIN_TEST_SEED=$seed"
for model in "$golden"/*/*.ktg; do
  count=$((count + 1))
  ((number++ % every == 0)) || continue
  taken=$((taken + 1))
  "$compile" "$model" -o "$work/libm.so" --name=m "$@" || { failed=1; continue; }
  # shellcheck disable=SC2086
  $emulator "$program" "$work/libm.so" "${model%.ktg}.txt" || failed=1
done
echo "$taken of $count models"
[ "$count" -ge 60 ] && exit $failed
