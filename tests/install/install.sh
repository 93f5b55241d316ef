#!/usr/bin/env bash
# Installs, moves the package, and builds a project elsewhere on it: install.sh BUILD SOURCE WORK CC CXX PYTHON
set -euo pipefail
build=$1 source=$2 work=$3 cc=$4 cxx=$5 python=$6
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved

# All headers, and nothing that they include is missing, as C++17; those of the runtime by themselves as C99 too.
# (frontend_headers looks at each by itself.)
cd "$prefix/include"
find . -name '*.h' | sort | sed 's,^\./,#include <,; s,$,>,' | "$cxx" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I. -x c++ -
for header in keratin/runtime.h keratin/object.h keratin_abi.h keratin_types.h keratin_object_abi.h; do
  echo "#include <$header>" | "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. -x c -
done

# By CMake.
cmake -G Ninja -S "$source/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  -DCMAKE_CXX_COMPILER="$cxx" >/dev/null
cmake --build "$work/consumer" >/dev/null
"$work/consumer/plain_runtime"
"$work/consumer/run_model"
"$work/consumer/static_models"

# By pkg-config.
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  "$cc" -std=c99 "$source/consumer/plain_runtime.c" $(pkg-config --cflags --libs keratin-runtime) -o "$work/by_pkg_config"
  "$work/by_pkg_config"
  "$cxx" -std=c++17 "$source/consumer/build_model.cpp" $(pkg-config --cflags --libs keratin) \
    -Wl,-rpath,"$prefix/lib" -o "$work/build_model"
  "$work/build_model" "$work/twice.ktg"
  # A user's first hour, by the page that comes with the package.
  "$python" "$source/../docs/snippets.py" "$prefix/share/doc/keratin/getting-started.md" "$prefix" "$work/first_hour" "$cc" "$cxx"
fi

# The package's own licence, whole, and its name in every header.
cmp "$source/../../LICENSE" "$prefix/share/doc/keratin/LICENSE"
if find "$prefix/include" \( -name '*.h' -o -name '*.inc' \) -exec grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' {} + | grep .; then
  echo "those headers do not name their licence" >&2
  exit 1
fi

# The licence of every library that the package needs.
for name in Abseil LLVM Protobuf nlohmann-json zlib; do
  grep -q "licenses/$name.txt" "$prefix/share/doc/keratin/NOTICE"
  test -s "$prefix/share/doc/keratin/licenses/$name.txt"
done

# Nothing of LLVM or of the layers shows.
if nm -DC --defined-only "$prefix/lib/libkeratin.so" | grep -E 'keratin::(frontend|ir|passes|codegen|compiler)::|(llvm|mlir|absl|google)::'; then
  echo "libkeratin.so exports what it is made of" >&2
  exit 1
fi
echo installed, moved and used
