#!/usr/bin/env bash
# Every public header by itself is silent, however much a program of C++17 asks its compiler to warn of:
# headers.sh "COMPILER…" FOLDER... of headers, whose names begin with keratin/. Those of the runtime's ABI are found among them.
set -euo pipefail
compilers=$1
shift
includes=()
for folder in "$@"; do
  includes+=("-I$folder")
done
failed=0
for compiler in $compilers; do
  for header in $(cd "$1" && find keratin -name '*.h' | sort) $(cd "$2" && find keratin -name '*.h' | sort); do
    if ! printf '#include <%s>\n' "$header" | "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion \
      -Werror -fsyntax-only "${includes[@]}" -x c++ -; then
      echo "$compiler: <$header>" >&2
      failed=1
    fi
  done
done
exit $failed
