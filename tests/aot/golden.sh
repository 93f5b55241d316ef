#!/usr/bin/env bash
# Compiles every golden model ahead of time and compares what it computes with what it computed:
# golden.sh KERATIN_COMPILE GOLDEN_FOLDER WORK PROGRAM "[emulator]" [options of keratin-compile...]
set -uo pipefail
compile=$1 golden=$2 work=$3 program=$4 emulator=$5
shift 5
mkdir -p "$work"
failed=0 count=0
for model in "$golden"/*/*.ktg; do
  "$compile" "$model" -o "$work/libm.so" --name=m "$@" || { failed=1; continue; }
  # shellcheck disable=SC2086
  $emulator "$program" "$work/libm.so" "${model%.ktg}.txt" || failed=1
  count=$((count + 1))
done
echo "$count models"
[ "$count" -ge 60 ] && exit $failed
