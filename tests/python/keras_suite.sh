#!/usr/bin/env bash
# Builds the Python module and runs Keras 2.3.1's own tests on it: keras_suite.sh FOLDER [pytest arguments...]
#
# FOLDER holds the tests of keras-team/keras at tag 2.3.1 (its tests/keras), which are not part of this
# repository. What they import is in an environment under build/, which may be deleted at any time; PYTHON names another Python
# instead, which has it all, and keratin.
# Four files, whose tests Keras skips unless its backend is called tensorflow, run under that name.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:?the folder of Keras\'s tests}" && pwd)
shift
if [[ -z ${PYTHON:-} ]]; then
  cd "$here/../.."
  tools/setup.sh graphviz # Keras draws with it
  tools/build.sh release keratin_native
  PYTHON=$(tools/python.sh keras-env tests/python/keras_requirements.txt)
  export PYTHONPATH=$PWD/build/release/python${PYTHONPATH:+:$PYTHONPATH}
fi
cd "$folder"

export KERAS_BACKEND=keratin PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH}
run() {
  "$PYTHON" -m pytest -q -p keras_conftest -p no:cacheprovider -p no:nose --disable-warnings "$@"
}
named=(losses_test.py metrics_test.py backend/backend_test.py)
# Asks for TensorFlow's version, and for nothing else of it.
versioned=metrics_confusion_matrix_test.py
# A download; TensorFlow itself.
left_out=(datasets/datasets_test.py utils/multi_gpu_test.py)
ignored=()
for file in "${named[@]}" "$versioned" "${left_out[@]}"; do
  ignored+=("--ignore=$file")
done

stand_in=$(mktemp -d)
trap 'rm -rf "$stand_in"' EXIT
mkdir "$stand_in/tensorflow" "$stand_in/site"
# Not somebody's settings, but the defaults.
export KERAS_HOME=$stand_in/home
echo "__version__ = '1.99'" >"$stand_in/tensorflow/tensorflow.py"
# Processes that tests spawn.
echo "import keratin.keras_compat" >"$stand_in/site/sitecustomize.py"
export PYTHONPATH=$stand_in/site:$PYTHONPATH

failed=0
run "${ignored[@]}" . "$@" || failed=1
KERATIN_TEST_AS_TENSORFLOW=1 run "${named[@]}" "$@" || failed=1
KERATIN_TEST_AS_TENSORFLOW=1 PYTHONPATH=$stand_in/tensorflow:$PYTHONPATH run "$versioned" "$@" || failed=1
exit $failed
