#!/usr/bin/env bash
# Makes build/python-env, the environment that the Python module is built and tested with, if it is not there as
# frontend/python/requirements.txt has it: tools/python.sh. Prints its Python. Likewise build/NAME, with what further lists have beside:
# tools/python.sh NAME LISTS...
# PYTHON names the Python that is taken where it is not python3.
set -euo pipefail
cd "$(dirname "$0")/.."

env=build/${1:-python-env}
lists=(frontend/python/requirements.txt "${@:2}")
wanted=$(cat "${lists[@]}")
if [[ ! -f $env/requirements.txt || $(<"$env/requirements.txt") != "$wanted" ]]; then
  rm -rf "$env"
  "${PYTHON:-python3}" -m venv "$env"
  "$env/bin/pip" install -q --disable-pip-version-check "${lists[@]/#/-r}" >&2
  echo "$wanted" >"$env/requirements.txt"
fi
echo "$PWD/$env/bin/python"
