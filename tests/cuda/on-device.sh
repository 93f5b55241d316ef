#!/usr/bin/env bash
# The sweeps of compiled code on a real GPU, by NVIDIA's own driver (or what KERATIN_CUDA_DRIVER names): on-device.sh FOLDER [folder for logs]
#
# FOLDER has the tests and tools, side by side or as in a build folder. Each sweep is cut into as many parts as there
# are processors (TestEnvironment.h says how), which run together, each with at most $KERATIN_PART_LIMIT seconds (120). After
# $KERATIN_LIMIT seconds (600) no more are begun. Ends with 1 if something failed,
# with what it said, or was not run.
# tools/package/gpu-kit.sh makes such a folder for machines that have nothing of Debian.
set -uo pipefail
binaries=$(realpath "$1")
logs=${2:-$(mktemp -d)}
mkdir -p "$logs"
export KERATIN_CACHE=off
processors=$(nproc)
# More parts than processors, since some take longer.
parts=$((processors * 2))
jobs="$logs/jobs"
: >"$jobs"

# job NAME SETTINGS PROGRAM ARGUMENTS...: one process; NAME is that of its log.
job() {
  local program
  program=$(find "$binaries" -name "$3" -type f -perm -u+x -not -path '*/install/*' -not -path '*/adding/*' | head -1)
  [ -n "$program" ] || { echo "on-device.sh: there is no $3 in $binaries" >&2; exit 2; }
  local name=$1 settings=$2
  shift 3
  printf '%s\t%s\t%s' "$name" "$settings" "$program" >>"$jobs"
  printf '\t%s' "$@" >>"$jobs"
  printf '\n' >>"$jobs"
}
# sweep NAME SHARE SETTINGS PROGRAM ARGUMENTS...: the parts of a sweep, or a SHARE-th of them.
sweep() {
  local name=$1 share=$2 settings=$3 part
  shift 3
  for ((part = 0; part < parts; ++part)); do
    job "$name.$part" "$settings KERATIN_TEST_EVERY=$((parts * share)) KERATIN_TEST_SEED=$((part * share * 100000))" "$@"
  done
}

cuda="KERATIN_TEST_TARGET=cuda"
sweep elementwise 1 "$cuda" op_sweep_test "every elementwise*"
sweep ops 1 "$cuda" op_sweep_test "every other*"
sweep products 1 "$cuda" contraction_sizes_test
sweep convolutions 1 "$cuda" convolution_forms_test
sweep gradients 1 "$cuda" gradient_test
sweep loops 1 "$cuda" loop_passes_test "compiled*"
sweep bits 1 "KERATIN_TEST_CPU=x86-64-v3 KERATIN_TEST_BITS=cuda" op_sweep_test "every elementwise*,[pairs],[trees]"
sweep sizes 4 "$cuda" op_sweep_test "[sizes]"
job stability "$cuda" stability_test
job scalars "$cuda" scalars_store_test
job attention "$cuda" attention_test
job random_numbers "KERATIN_DEVICE=cuda" frontend_test "*normal numbers*,uniform*,binomial*,*dropout*,equal seeds*,random*,products of float32*"
for ((part = 0; part < parts; ++part)); do
  job "graphs.$part" "$cuda" keratin-fuzz --seed=$((700000 + part * 1000)) --count=60
done
# Code for all architectures, which the driver compiles, and that without machine code of this one.
sweep products_of_ptx 4 "KERATIN_TEST_TARGET=cuda:sm_80 KERATIN_PTXAS= KERATIN_NVJITLINK=" contraction_sizes_test

run_job() {
  (($(date +%s) < deadline)) || return 0
  IFS=$'\t' read -r -a words <<<"$1"
  local log="$logs/${words[0]}.log" start end status
  local -a settings
  read -r -a settings <<<"${words[1]}"
  start=$(date +%s%N)
  env "${settings[@]}" timeout -k 5 "${KERATIN_PART_LIMIT:-120}" "${words[@]:2}" >"$log" 2>&1
  status=$?
  end=$(date +%s%N)
  printf '%s %s %d\n' "${words[0]}" "$status" $(((end - start) / 1000000)) >>"$logs/results"
}
export -f run_job
export logs deadline=$(($(date +%s) + ${KERATIN_LIMIT:-600}))
: >"$logs/results"
# shellcheck disable=SC2016
tr '\n' '\0' <"$jobs" | xargs -0 -P "$processors" -I{} bash -c 'run_job "$1"' _ {}

# What failed, then a line a sweep.
run=$(wc -l <"$logs/results") all=$(wc -l <"$jobs")
echo "$run of $all parts were run"
awk '$2 != 0 {print $1, $2}' "$logs/results" | while read -r name status; do
  printf '\n==== %s ended with %s\n' "$name" "$status"
  tail -n "${KERATIN_TAIL:-25}" "$logs/$name.log"
done
awk -v left=$((all - run)) '{split($1, part, "."); n[part[1]]++; s[part[1]] += $3 / 1000; if ($2 != 0) f[part[1]]++}
  END {for (name in n) {printf "%-16s %4d parts, %6.1f s, %d failed\n", name, n[name], s[name], f[name]; bad += f[name]} exit bad + left > 0}' \
  "$logs/results"
