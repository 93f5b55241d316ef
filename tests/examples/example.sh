#!/usr/bin/env bash
# Trains an example for a few epochs, saves it, compiles it ahead of time and trains the object from C:
#   example.sh BUILD SOURCE WORK CC NAME EPOCHS PATTERN LEAST [C-PROGRAM]
# Both programs print the number that PATTERN stands before; it must reach LEAST (or stay below it, if that begins with "<").
set -euo pipefail
build=$1 source=$2 work=$3 cc=$4 name=$5 epochs=$6 pattern=$7 least=$8 program=${9:-}
mkdir -p "$work"
cd "$work"
data=$source/examples/data/digits.csv

judge() { "$source/tests/examples/judge.sh" "$pattern" "$least" "$1"; }

if [ "$name" = digits_vae ]; then
  "$build/examples/$name" "$data" "$epochs" "$name.pgm" "$name.ktg" | tee "$name.txt"
else
  "$build/examples/$name" "$data" "$epochs" "$name.ktg" | tee "$name.txt"
fi
judge "$name.txt"

[ -n "$program" ] || exit 0
"$build/bin/keratin-compile" "$name.ktg" -o "lib$name.so" --header="$name.h"
"$cc" -std=c99 -D_POSIX_C_SOURCE=199309L -O2 -Wall -Wextra -Werror -DMODEL="$name" -DMODEL_HEADER="\"$name.h\"" -I. -I"$source/examples" \
  "$source/examples/$program" -L. "-l$name" -Wl,-rpath,"$work" -o "${name}_object"
"./${name}_object" "$data" "$epochs" | tee "${name}_object.txt"
judge "${name}_object.txt"
