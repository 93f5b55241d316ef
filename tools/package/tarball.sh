#!/usr/bin/env bash
# A package that may be unpacked anywhere and needs libc, libm and libstdc++ alone: tarball.sh [folder for it]
#
# LLVM and MLIR are linked statically and show no symbol, and in the tools so are Abseil and Protocol Buffers;
# libkeratin.so has the shared ones beside it, as Debian's archives of these two do not go into shared libraries. The linker
# that makes shared objects of models is there too. Installs what it needs.
set -euo pipefail
output=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/../.."
output=${output:-$PWD/build}
mkdir -p "$output"

tools/setup.sh liblld-19-dev xz-utils
cmake --preset static
cmake --build --preset static --target keratin_package
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' build/static/CMakeCache.txt)
name=keratin-$version-linux-$(uname -m)
stage=$(mktemp -d)
package=$stage/$name
trap 'rm -rf "$stage"' EXIT
cmake --install build/static --prefix "$package" --strip >/dev/null
# The licences of what LLVM itself holds of others.
install -m 644 /usr/share/doc/llvm-19-dev/copyright "$package/share/doc/keratin/licenses/LLVM-parts.txt"

# What is loaded with them is in the package, or libc, libm and libstdc++.
failed=0
for file in "$package"/bin/* "$package"/lib/libkeratin.so "$package"/lib/keratin/ld.lld; do
  needed=$(ldd "$file" | sed -n 's/^\t\(lib[^ ]*\) => \(.*\)/\1 \2/p' |
    { grep -vE "^lib(c|m|stdc\+\+)\.so\.6 |^libgcc_s\.so\.1 | $package/" || true; })
  [ -z "$needed" ] || { printf '%s needs\n%s\n' "${file#"$stage"/}" "$needed" >&2; failed=1; }
done
[ "$failed" = 0 ]

# What users do with a package works with this one.
bash tests/install/install.sh "$PWD/build/static" "$PWD/tests/install" "$stage/trial" gcc-12 g++-12 "$(tools/python.sh)"

# The same files give the same bytes. Quicker than xz does by itself, and a tenth larger.
XZ_OPT=-T0\ -2 tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mtime='@0' -cJf "$output/$name.tar.xz" "$name"
ls -l "$output/$name.tar.xz"
