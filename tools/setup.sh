#!/usr/bin/env bash
# Installs what building and testing needs on Debian 12, and packages that a command needs beside, if they are not there; quick when they
# are: tools/setup.sh [packages...]
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  clang-19 g++-12 lld-19 clang-format-19 llvm-19-dev llvm-19-tools libmlir-19-dev mlir-19-tools libclang-rt-19-dev
  cmake ninja-build ccache catch2 libabsl-dev libprotobuf-dev protobuf-compiler nlohmann-json3-dev libonnx-testdata
  libhdf5-103-1 openmpi-bin mpich
  libzstd-dev zlib1g-dev python3 python3-dev python3-venv pkgconf
  libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross qemu-user
  "$@"
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  echo "installing: ${missing[*]}"
  # sudo would drop the variable, and a question that nobody sees would wait for ever.
  as_root=(env DEBIAN_FRONTEND=noninteractive)
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || { echo "packages are installed by root, or with sudo, which is not here" >&2; exit 1; }
    as_root=(sudo "${as_root[@]}")
  fi
  "${as_root[@]}" apt-get update -qq
  # Without a terminal of dpkg's own, which a chroot may not have.
  "${as_root[@]}" apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "${missing[@]}" >/dev/null
fi
tools/python.sh >/dev/null
