#!/usr/bin/env bash
# Compares K functions and their gradients with PyTorch and SciPy on random inputs:
# tests/judge/run.sh [arguments of judge.py]
# The libraries live in a virtual environment under build/, which may be deleted at any time.
set -euo pipefail
cd "$(dirname "$0")/../.."

tools/setup.sh
tools/build.sh release keratin-judge-graphs keratin-run

environment=build/judge
[[ -x $environment/bin/python ]] || python3 -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r tests/judge/requirements.txt
# Not somebody's settings, but the defaults.
export KERAS_HOME=$PWD/build/judge-work
exec "$environment/bin/python" tests/judge/judge.py --bin=build/release/bin --work=build/judge-work "$@"
