#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test: tools/test.sh [preset] [ctest arguments...]
# tools/test.sh quick: in two minutes those that end soon, and a sample of the sweeps, another one each day.
set -euo pipefail
cd "$(dirname "$0")/.."

# Sweeps, and what takes long by itself.
slow='random_graphs|sweep|elementwise|gradient_|stability_|loop_passes_|contraction_|convolution_|_plain|_cuda|_sm90a'
slow+='|adding|install|growth|out_of_memory|compile_fault|bomb|wicked|long_chain|output_files|frontend_headers'
slow+='|frontend_interpreted|aot_(golden|names)|python_(pairs|processes)|example|demo|keratin_mutate|benchmark'

preset=${1:-release}
shift || true
quick=false
if [[ $preset == quick ]]; then
  quick=true
  preset=release
fi
tools/setup.sh
tools/build.sh "$preset"
if $quick; then
  day=$(($(date +%s) / 86400))
  ctest --preset "$preset" --timeout 3600 -j "$(nproc)" -E "$slow" "$@"
  tests=build/$preset/tests/execution
  KERATIN_TEST_EVERY=12 KERAS_HOME=$tests/keras $tests/op_sweep_test "every*"
  build/"$preset"/bin/keratin-fuzz --seed=$((day * 1000)) --count=200 --keep=build
else
  ctest --preset "$preset" --timeout 3600 -j "$(nproc)" "$@"
fi
