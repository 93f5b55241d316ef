#!/usr/bin/env bash
# A package that may be unpacked anywhere and needs libc, libm and libstdc++ alone: tarball.sh [folder for it]
#
# LLVM and MLIR are linked statically and show no symbol, and in the tools so are Abseil and Protocol Buffers;
# libkeratin.so has the shared ones beside it, as Debian's archives of these two do not go into shared libraries. The linker
# that makes shared objects of models is there too. Needs liblld-19-dev beside what tools/setup.sh installs.
set -euo pipefail
cd "$(dirname "$0")/../.."

output=${1:-build}
cmake --preset static
cmake --build --preset static
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/static/CMakeCache.txt)
name=keratin-$version-linux-$(uname -m)
stage=$(mktemp -d)
package=$stage/$name
trap 'rm -rf "$stage"' EXIT
cmake --install build/static --prefix "$package" --strip >/dev/null
# The licences of what LLVM itself holds of others.
install -m 644 /usr/share/doc/llvm-19-dev/copyright "$package/share/doc/keratin/licenses/LLVM-parts.txt"

# Whatever is loaded asks for the system's libraries only, or for what is in the package.
failed=0
while read -r file; do
  needed=$(readelf -d "$file" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    { grep -vE '^(libc|libm|libstdc\+\+)\.so\.6$|^libgcc_s\.so\.1$|^ld-linux-.*' || true; } |
    while read -r name; do [ -e "$package/lib/keratin/$name" ] || echo "$name"; done)
  [ -z "$needed" ] || { echo "${file#"$stage"/} needs" $needed >&2; failed=1; }
done < <(find "$package/bin" "$package/lib" -type f \( -perm -u+x -o -name '*.so*' \))
[ "$failed" = 0 ]

# The same files give the same bytes. Quicker than xz does by itself, and a tenth larger.
XZ_OPT=-T0\ -2 tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime='@0' -cJf "$output/$name.tar.xz" "$name"
ls -l "$output/$name.tar.xz"
