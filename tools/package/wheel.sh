#!/usr/bin/env bash
# A wheel that needs libc, libm, libstdc++ and NumPy alone: wheel.sh [folder for it]
#
# LLVM and MLIR are linked statically and show no symbol; Abseil and Protocol Buffers lie beside (tarball.sh says why). The Python is
# that of tools/python.sh. Installs what it needs.
set -euo pipefail
output=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/../.."
output=${output:-$PWD/build}
mkdir -p "$output"

tools/setup.sh liblld-19-dev
python=$(tools/python.sh)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# Debian's pip knows the long name of -C alone.
"$python" -m pip wheel . --wheel-dir "$stage" --no-deps --no-build-isolation --disable-pip-version-check -q \
  --config-settings=build-dir=build/wheel-static --config-settings=cmake.define.KERATIN_STATIC_DEPENDENCIES=ON --config-settings=install.strip=true
wheel=$(ls "$stage"/*.whl)

# What is loaded with it is in the wheel, or libc, libm, libstdc++ and libgcc_s.
"$python" -m venv "$stage/env"
"$stage/env/bin/pip" install -q --disable-pip-version-check "numpy==1.26.4" "$wheel"
package=$("$stage/env/bin/python" -c 'import keratin, os; print(os.path.dirname(keratin.__file__))')
failed=0
for file in "$package"/_native*.so "$package"/lib/*.so* "$package"/lib/keratin/ld.lld; do
  needed=$(ldd "$file" | sed -n 's/^\t\(lib[^ ]*\) => \(.*\)/\1 \2/p' |
    { grep -vE "^lib(c|m|stdc\+\+|dl|pthread)\.so\.[0-9]+ |^libgcc_s\.so\.1 | $package/" || true; })
  [ -z "$needed" ] || { printf '%s needs\n%s\n' "${file#"$package"/}" "$needed" >&2; failed=1; }
done
[ "$failed" = 0 ]
bytes=$(stat -c %s "$wheel")
[ "$bytes" -le $((80 << 20)) ] || { echo "$wheel has $bytes bytes, more than 80 MiB" >&2; exit 1; }

# What users do with a wheel works with this one.
tools/package/try-wheel.sh "$wheel"
mv "$wheel" "$output/"
ls -l "$output/$(basename "$wheel")"
