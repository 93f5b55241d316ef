#!/usr/bin/env bash
# examples/deployment: a model saved by C++, linked into a C program, loaded by Python; weights from a file.
#   deployment.sh BUILD SOURCE WORK CC
set -euo pipefail
build=$1 source=$2 work=$3 cc=$4
rm -rf "$work"
mkdir -p "$work"
cd "$work"
data=$source/examples/data/digits.csv
"$build/examples/deployment_train" "$data" digits_model.ktg digits.safetensors

"$build/bin/keratin-compile" digits_model.ktg --emit=obj -o digits_model.o --header=digits_model.h --strip-locations
"$cc" -std=c99 -O2 -Wall -Wextra -Werror -I. -I"$source/examples" "$source/examples/deployment/predict.c" digits_model.o \
  "$build/lib/keratin/$(uname -m)/libkeratin_runtime.a" -lm -pthread -o predict
./predict digits.safetensors "$data" | tee c.txt

# Wrong weights are named, and so are wrong files.
for wrong in digits_model.ktg /nowhere; do
  if ./predict "$wrong" "$data" 2>wrong.txt; then
    exit 1
  fi
  grep "error: .*$wrong" wrong.txt
done

"$build/bin/keratin-compile" digits_model.ktg -o libdigits_model.so
python3 "$source/examples/deployment/predict.py" libdigits_model.so digits.safetensors "$data" | tee python.txt

cmp c.txt python.txt
awk '{ exit !($3 > 0.9) }' c.txt
