#!/usr/bin/env bash
# Uses a wheel as its users do: try-wheel.sh WHEEL [ROOT]
#
# In an environment of its own with the wheel and NumPy alone it runs README's first program and what docs/python.md shows; then, with
# the wheel's extra for Keras, Keras on the digits, and some of tests/python. Nothing of a build is there to help: no variable of the
# caller's, and with ROOT, a folder with a Debian 12 (`debootstrap --variant=minbase bookworm ROOT`; root is needed, and ROOT stays as
# it is but for python3-venv), no compiler, linker or LLVM either. What PyPI has of the rest comes from this machine's pip, in the
# versions of frontend/python/requirements.txt.
set -euo pipefail
[[ $# == [12] ]] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
wheel=$(realpath -e "$1")
root=${2:+$(realpath -e "$2")}
cd "$(dirname "$0")/../.."

work=$(mktemp -d ${root:+-p "$root/tmp"})
mounted=
tidy() {
  [[ -z $mounted ]] || umount "$mounted"
  rm -rf "$work"
}
trap tidy EXIT

requirements=frontend/python/requirements.txt
python=$(tools/python.sh)
mkdir "$work/wheels"
cp "$wheel" "$work/wheels"
"$python" -m pip wheel -q --disable-pip-version-check --wheel-dir "$work/wheels" -c $requirements "${wheel}[keras]" numpy scipy pytest
cp -r --parents README.md docs examples frontend/python/requirements.txt tests/docs tests/python "$work"

# A user's hour, in the folder that it is given.
cat >"$work/hour.sh" <<'END'
set -euo pipefail
cd "$1"
wheel=$(ls wheels/keratin-*.whl)
/usr/bin/python3 -m venv env
install() { env/bin/pip install -q --disable-pip-version-check --no-index --find-links wheels -c frontend/python/requirements.txt "$@"; }
install "$wheel" # which asks for NumPy
echo "--- README.md ---"
sed -n '/^```python$/,/^```$/{//!p}' README.md >first.py
env/bin/python first.py
echo "--- docs/python.md ---"
env/bin/python tests/docs/python_page.py docs/python.md
echo "--- Keras ---"
install "${wheel}[keras]"
env/bin/python examples/keras_digits.py examples/data/digits.csv
echo "--- tests/python ---"
install pytest scipy
for subject in api creation elementwise errors gradients keras models neural products; do
  env/bin/python -m pytest -q -p no:cacheprovider "tests/python/${subject}_test.py"
done
# What was tried is what the wheel has.
case $(env/bin/python -c 'import keratin; print(keratin.__file__)') in "$1"/env/*) ;; *) exit 1 ;; esac
END
inside=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="${work#"$root"}" KERAS_HOME="${work#"$root"}/keras" PYTHONDONTWRITEBYTECODE=1)
if [[ $root ]]; then
  cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
  # Objects of models go through /proc/self/fd.
  if ! mountpoint -q "$root/proc"; then
    mount -t proc proc "$root/proc"
    mounted=$root/proc
  fi
  chroot "$root" dpkg-query -W python3-venv >/dev/null 2>&1 || {
    chroot "$root" "${inside[@]}" apt-get update -qq
    chroot "$root" "${inside[@]}" DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv libstdc++6 >/dev/null
  }
  chroot "$root" "${inside[@]}" bash "${work#"$root"}/hour.sh" "${work#"$root"}"
else
  "${inside[@]}" bash "$work/hour.sh" "$work"
fi
echo "$(basename "$wheel"): tried"
