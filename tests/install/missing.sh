#!/usr/bin/env bash
# Configures without one dependency after the other, and with an old one: missing.sh PROJECT WORK CC CXX
set -euo pipefail
project=$1 work=$2 cc=$3 cxx=$4
rm -rf "$work"
mkdir -p "$work"
configure() {
  cmake -G Ninja -S "$project" -B "$work/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" "$@" >"$work/log" 2>&1
}
configure || { cat "$work/log"; exit 1; }

# The configuration fails, and says these words.
fails() {
  local package=$1 words
  shift
  if configure "$@"; then
    echo "configured although $package is missing" >&2
    exit 1
  fi
  # CMake breaks lines.
  said=$(tr -s ' \n' ' ' <"$work/log")
  for words in "Keratin needs $package" "${said_too[@]}"; do
    [[ $said == *"$words"* ]] || { cat "$work/log"; echo "does not say: $words" >&2; exit 1; }
  done
}

previous=
while read -r package version debian; do
  [[ $version == - ]] && version=
  said_too=("On Debian 12: apt-get install $debian ")
  fails "$package${version:+ $version} (" "-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON" ${previous:+-U$previous}
  previous=CMAKE_DISABLE_FIND_PACKAGE_$package
done <<END
Threads - libc6-dev
ZLIB 1.2 zlib1g-dev
LLVM 19.1 llvm-19-dev
zstd - libzstd-dev
MLIR 19.1 libmlir-19-dev mlir-19-tools
absl - libabsl-dev
Protobuf 3.21 libprotobuf-dev protobuf-compiler
nlohmann_json 3.11 nlohmann-json3-dev
Catch2 2.13 catch2
Python3 3.9 python3
END

# Another version that is there is named, with its place.
mkdir -p "$work/old"
echo 'set(nlohmann_json_FOUND TRUE)' >"$work/old/nlohmann_jsonConfig.cmake"
echo 'set(PACKAGE_VERSION 2.0.0)' >"$work/old/nlohmann_jsonConfigVersion.cmake"
said_too=("found: version 2.0.0 at $work/old/nlohmann_jsonConfig.cmake")
fails "nlohmann_json 3.11 (" -U$previous -DCMAKE_PREFIX_PATH="$work/old" -Unlohmann_json_DIR \
  -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF

# protoc is a package of its own.
said_too=("apt-get install protobuf-compiler ")
fails "Protobuf 3.21 (protoc" -DProtobuf_PROTOC_EXECUTABLE= -UCMAKE_PREFIX_PATH -U'CMAKE_FIND_USE_*'
echo every missing package is named
