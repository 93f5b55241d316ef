#!/usr/bin/env bash
# What tests and times a build on another machine that has a GPU, and perhaps neither Debian nor a network:
#   gpu-kit.sh [FOLDER, which is made: build/gpu-kit]
# Makes FOLDER/kit.tar.xz (about 50 MB): tests and tools without symbols, and the libraries that they load; and FOLDER/unpack.sh,
# to be sourced there, which unpacks it to /tmp/keratin-kit. Then tests/cuda/first-hour.py /tmp/keratin-kit REPORT.
# With a Python of the version that is there (KERATIN_KIT_PYTHON, or python3.12 where there is one) it has the Python module too, and
# Keras 2.3.1; NumPy, h5py, SciPy and PyYAML must be there.
set -euo pipefail
export LC_ALL=C # libLLVM comes before those that it names
output=$(realpath -m "${1:-build/gpu-kit}")
cd "$(dirname "$0")/../.."
tests=(execution/{op_sweep,gradient,loop_passes,contraction_sizes,convolution_forms,stability,attention,device_stress}_test store/scalars_store_test
  frontend/frontend_test)
tools=(keratin-bench keratin-fuzz keratin-run keratin-compile)
tools/setup.sh xz-utils
tools/build.sh release "${tests[@]##*/}" "${tools[@]}" digits keratin keratin_python_sources
python=
for candidate in ${KERATIN_KIT_PYTHON:-python3.12 $HOME/.pyenv/versions/3.12*/bin/python3.12}; do
  if "$candidate" -c '' 2>/dev/null; then python=$candidate; fi
done

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/bin" "$stage/lib" "$output"
cp "${tests[@]/#/build/release/tests/}" "${tools[@]/#/build/release/bin/}" build/release/examples/digits "$stage/bin/"
if [ -n "$python" ]; then
  python=$(PYTHON=$python tools/python.sh kit-python)
  cmake -G Ninja -S tools/package/python-module -B build/kit-module -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++-19 \
    -DPython_EXECUTABLE="$python" -DKERATIN_BUILD=build/release >/dev/null
  ninja -C build/kit-module
  mkdir -p "$stage/python/keratin" "$stage/packages"
  cp -L build/release/python/keratin/*.py build/kit-module/_native.*.so "$stage/python/keratin/"
  cp -L build/release/lib/libkeratin.so.0 "$stage/lib/"
  packages=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  cp -r "$packages"/keras{,_applications,_preprocessing} "$stage/packages/"
  find "$stage" -name __pycache__ -prune -exec rm -r {} +
fi
# Whatever Linux has is taken from there. Of what LLVM names and these programs never call, an empty library does.
stubs='^lib(z3|xml2|edit)\.so'
unneeded='^(lib(c|m|stdc\+\+|dl|pthread)\.so|libgcc_s|ld-linux|libicu|libbsd|libmd|liblzma)'
find "$stage/bin" "$stage/lib" -type f -exec ldd {} + | awk '/=> \//{print $1, $3}' | sort -u | while read -r name path; do
  if [[ $name =~ $stubs ]]; then
    comm -12 <(nm -D --undefined-only "$stage"/lib/libLLVM* | awk 'NF > 1 {sub(/@.*/, "", $2); print $2}' | sort -u) \
      <(nm -D --defined-only "$path" | awk '{sub(/@.*/, "", $3); print $3}' | sort -u) | sed 's/.*/void &(void) {}/' |
      clang-19 -w -shared -fPIC -fno-builtin -Wl,-soname,"$name" -x c - -o "$stage/lib/$name"
  elif ! [[ $name =~ $unneeded ]]; then
    cp -L "$path" "$stage/lib/$name"
  fi
done
strip "$stage"/bin/* "$stage"/lib/*
tar -C "$stage" -c . | xz --x86 --lzma2=preset=6,dict=256MiB >"$output/kit.tar.xz"
cat >"$output/unpack.sh" <<'END'
kit=$(dirname "${BASH_SOURCE[0]}")
mkdir -p /tmp/keratin-kit
[ -d /tmp/keratin-kit/lib ] || python3 -c "import sys, tarfile; tarfile.open(sys.argv[1]).extractall('/tmp/keratin-kit')" "$kit/kit.tar.xz"
for library in /tmp/keratin-kit/lib/lib{z,tinfo,ffi,zstd}.so.*; do
  if ldconfig -p | grep -q "$(basename "$library") "; then rm -f "$library"; fi
done
export LD_LIBRARY_PATH=/tmp/keratin-kit/lib PATH=/usr/local/cuda/bin:$PATH KERATIN_CACHE=off KERAS_HOME=/tmp/keratin-kit/keras
END
ls -l "$output"
