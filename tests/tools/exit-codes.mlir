// What tools exit with: 2 for a command line that nothing could make right, told before a file is looked at; 1 where the work
// failed; 5 where numbers differ. Others: keratin-compile-errors.mlir, keratin-dump-errors.mlir, keratin_run.py.
// RUN: rm -rf %t && mkdir %t && cd %t

// RUN: %{exits} 2 keratin-compile none.mlir --emit=asm --metadata=m.json 2>&1 | FileCheck %s --check-prefix=METADATA
// METADATA: keratin-compile: error: --metadata goes with --emit=obj and --emit=so
// RUN: %{exits} 2 keratin-compile none.mlir --name=a-b 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: keratin-compile: error: the model's name 'a-b' cannot begin names in C
// RUN: %{exits} 2 keratin-compile none.mlir --weights=w.npy 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: %{exits} 2 keratin-run none.mlir --weights=w.npy 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: %{exits} 2 keratin-run none.mlir --save-weights=w.h5 2>&1 | FileCheck %s --check-prefix=SAVED
// WEIGHTS: error: 'w.npy' ends in no known way; needed .safetensors, .safetensors.index.json, .npz or .h5
// SAVED: error: 'w.h5' ends in no known way; needed .safetensors or .npz
// RUN: %{exits} 2 keratin-run none.mlir --input=x.npy 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: keratin-run: error: --input needs NAME=FILE.npy or FILE.npz, found 'x.npy'
// RUN: %{exits} 2 keratin-run none.mlir --random=-1 2>&1 | FileCheck %s --check-prefix=RANDOM
// RANDOM: keratin-run: error: --random needs a number, found '-1'
// RUN: %{exits} 2 keratin-dump none.mlir --size==x 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: keratin-dump: error: --size needs NAME=N, found '=x'
// RUN: %{exits} 2 keratin-dump none.mlir --stage=asm --format=dot 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: keratin-dump: error: --stage=asm is text only

// RUN: %{exits} 2 keratin-opt %s --nonsense 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: keratin-opt: Unknown command line argument '--nonsense'
// RUN: %{exits} 2 keratin-opt %s --numerics-seed=many 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: for the --numerics-seed option: 'many' value invalid
// RUN: %{exits} 2 keratin-opt %s --timeout=soon 2>&1 | FileCheck %s --check-prefix=TIMEOUT
// TIMEOUT: keratin-opt: error: --timeout needs a time
// RUN: %{exits} 2 keratin-opt %s '--pass-pipeline=builtin.module(nonsense)' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: 'nonsense' does not refer to a registered pass
// RUN: %{exits} 1 keratin-opt none.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: none.mlir: error: No such file or directory

// RUN: %{exits} 2 keratin-check %s --nonsense 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %{exits} 2 keratin-fuzz --nonsense 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: Unknown command line argument '--nonsense'
// RUN: %{exits} 2 keratin-check none.mlir --symbol=batch=2 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: error: a symbol is given as --symbol=ID=VALUE
// RUN: %{exits} 1 keratin-check %s --function=g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: no function @g
// RUN: %{exits} 5 keratin-check %s --compiled --most=-1 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: error: result #0 differs
// RUN: %{exits} 2 keratin-fuzz --together=0 2>&1 | FileCheck %s --check-prefix=TOGETHER
// TOGETHER: keratin-fuzz: error: --ops and --together need numbers of at least 1
// RUN: %{exits} 1 keratin-fuzz --replay=none.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: %{exits} 2 keratin-mutate-ktg --count=many 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: keratin-mutate-ktg: error: unknown or bad option '--count=many'
// RUN: %{exits} 2 keratin-golden 2>&1 | FileCheck %s --check-prefix=GOLDEN
// GOLDEN: keratin-golden GoldenGraphs.mlir FOLDER
// RUN: %{exits} 2 keratin-bench --threads=0 2>&1 | FileCheck %s --check-prefix=BENCH
// BENCH: keratin-bench: unknown or bad argument '--threads=0'
// RUN: ls %t | count 0

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = keratin.neg %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
