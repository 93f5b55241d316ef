#!/usr/bin/env bash
# Every public header by itself is silent, however much a program of C++17 asks its compiler to warn of:
# headers.sh "COMPILER…" FOLDER... of headers, whose names begin with keratin/. Those of the runtime's ABI are found among them.
#
# With KERATIN_TEST_EVERY=n all together with every compiler, and an n-th by themselves, others each day.
set -euo pipefail
compilers=$1
shift
includes=()
for folder in "$@"; do
  includes+=("-I$folder")
done
headers=$( (cd "$1" && find keratin -name '*.h' | sort) && (cd "$2" && find keratin -name '*.h' | sort))
# shellcheck source=tests/support/sample.sh
. "$(dirname "$0")/../support/sample.sh"
number=0
failed=0

# check COMPILER NAME: what the program on standard input includes.
check() {
  if ! "$1" -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror -fsyntax-only \
    "${includes[@]}" -x c++ -; then
    echo "$1: $2" >&2
    failed=1
  fi
}

for compiler in $compilers; do
  check "$compiler" "all headers" < <(printf '#include <%s>\n' $headers)
  for header in $headers; do
    if is_in_sample $((number++)); then
      check "$compiler" "<$header>" < <(printf '#include <%s>\n' "$header")
    fi
  done
  number=$((number + 1)) # others with the next
done
if ((failed)); then
  print_sample >&2
fi
exit $failed
