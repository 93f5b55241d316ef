#!/usr/bin/env bash
# Makes build/python-env, the environment that the Python module is built and tested with, if it is not there as
# frontend/python/requirements.txt has it: tools/python.sh. Prints its Python.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=frontend/python/requirements.txt
env=build/python-env
if ! cmp -s "$wanted" "$env/requirements.txt"; then
  rm -rf "$env"
  python3 -m venv "$env"
  "$env/bin/pip" install -q --disable-pip-version-check -r "$wanted" >&2
  cp "$wanted" "$env/requirements.txt"
fi
echo "$PWD/$env/bin/python"
