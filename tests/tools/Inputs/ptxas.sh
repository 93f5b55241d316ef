#!/bin/sh
# Looks like ptxas to those who call it: writes what it was asked for, and tells what kernels take. Each assembly is a line of
# the file FAKE_PTXAS_LOG; the architecture FAKE_PTXAS_REFUSES is refused.
[ "$1" = --version ] && { echo "a fake of version ${FAKE_PTXAS_VERSION:-1}"; exit 0; }
while [ $# -gt 0 ]; do
  case $1 in
  -arch=*) architecture=${1#-arch=} ;;
  -o) output=$2; shift ;;
  -v) ;;
  *) input=$1 ;;
  esac
  shift
done
echo "$architecture" >>"${FAKE_PTXAS_LOG:-/dev/null}"
[ "$architecture" = "$FAKE_PTXAS_REFUSES" ] && { echo "ptxas fatal   : not today" >&2; exit 255; }
echo "machine code for $architecture" >"$output"
for kernel in $(sed -n 's/^\.visible \.entry \([^(]*\)(.*/\1/p' "$input"); do
  echo "ptxas info    : Compiling entry function '$kernel' for '$architecture'"
  echo "ptxas info    : Function properties for $kernel"
  echo "    8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads"
  echo "ptxas info    : Used 34 registers, used 1 barriers, 256 bytes smem, 400 bytes cumulative stack size"
done >&2
