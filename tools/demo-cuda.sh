#!/usr/bin/env bash
# Five training steps of the digits network on the first GPU, or in the emulator where there is none:
#   demo-cuda.sh BUILD MODEL WORK
# Each is held against the reference interpreter, within four times what rounding and other orders of sums explain, and the state
# after the last against the CPU's: sums of products may be added up in another order there. What depends on no order has the same
# bits on both, with code for x86-64-v3, whose math functions the device computes: random bits, the mask of a dropout, functions
# element by element.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$1/bin model=$2 work=$3
rm -rf "$work" && mkdir -p "$work"

device=emulated
if "$bin"/keratin-run examples/equal_bits.mlir --device=cuda --random=1 --quiet >"$work"/probe 2>&1; then
  device=cuda
else
  # What was found, of an error that says "--device=cuda: FOUND; NEEDED".
  echo "no CUDA device is here ($(sed -n '1{s/^.*error: //;s/^--device=cuda: //;s/;.*//;p}' "$work"/probe)): in its emulator"
fi

echo "five training steps, device $device:"
"$bin"/keratin-run "$model" --function=train_step --device=$device --random=3 --size=d0=4 --repeat=5 --check --quiet \
  --save-state="$work"/device.state
"$bin"/keratin-compile "$model" --function=train_step --mcpu=x86-64-v3 -o "$work"/libcpu.so --name=cpu
"$bin"/keratin-run "$work"/libcpu.so --random=3 --size=d0=4 --repeat=5 --quiet --save-state="$work"/cpu.state
if cmp -s "$work"/device.state "$work"/cpu.state; then
  echo "the state has the CPU's bits"
else
  echo "the state is within these bounds, and not the CPU's bit by bit"
fi

"$bin"/keratin-run examples/equal_bits.mlir --device=$device --random=1 --repeat=5 --quiet --output-dir="$work"/device
"$bin"/keratin-compile examples/equal_bits.mlir --mcpu=x86-64-v3 -o "$work"/libbits.so --name=bits
"$bin"/keratin-run "$work"/libbits.so --random=1 --repeat=5 --quiet --output-dir="$work"/cpu
for name in bits mask elements; do
  cmp "$work"/device/$name.npy "$work"/cpu/$name.npy
  echo "$name: the CPU's bits"
done
