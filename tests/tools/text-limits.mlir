// Texts that no tool gives to MLIR's parser: exit code 4 where there is too much of something, 1 where
// models have no such thing.
// RUN: rm -rf %t && split-file %s %t

// RUN: %{exits} 4 keratin-opt %t/aliases.mlir 2>&1 | FileCheck %s --check-prefix=ALIASES
// RUN: %{exits} 4 keratin-dump %t/aliases.mlir 2>&1 | FileCheck %s --check-prefix=ALIASES
// RUN: %{exits} 4 keratin-compile %t/aliases.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=ALIASES
// RUN: %{exits} 4 keratin-run %t/aliases.mlir 2>&1 | FileCheck %s --check-prefix=ALIASES
// RUN: %{exits} 4 keratin-dump - < %t/aliases.mlir 2>&1 | FileCheck %s --check-prefix=ALIASES
// ALIASES: {{^([^ ]*aliases.mlir|-)}}:7:8: error: aliases stand for more than 1048576 words and 16 times the text's bytes

// RUN: awk 'BEGIN { printf "#map = affine_map<(d0) -> ("; for (i = 0; i < 10000; ++i) printf "-"; print "d0)>\nmodule {}" }' > %t/minus.mlir
// RUN: %{exits} 1 keratin-opt %t/minus.mlir 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: %{exits} 1 keratin-dump %t/minus.mlir 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: %{exits} 1 keratin-compile %t/minus.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: %{exits} 1 keratin-run %t/minus.mlir 2>&1 | FileCheck %s --check-prefix=AFFINE
// AFFINE: {{^[^ ]*minus.mlir}}:1:8: error: 'affine_map', which models do not use

// RUN: awk 'BEGIN { printf "func.func @f() {\n  %%%%y = keratin.constant dense<"; for (i = 0; i < 50000; ++i) printf "9"; print "> : tensor<i64>\n  return\n}" }' > %t/digits.mlir
// RUN: %{exits} 4 keratin-opt %t/digits.mlir 2>&1 | FileCheck %s --check-prefix=DIGITS
// RUN: %{exits} 4 keratin-compile %t/digits.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=DIGITS
// DIGITS: {{^[^ ]*digits.mlir}}:2:31: error: a number of more than 128 characters

// What does not end.
// RUN: %{exits} 4 keratin-opt - < /dev/zero 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: (yes 2>/dev/null || true) | %{exits} 4 keratin-dump - 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: {{^}}-: error: this has more than the 512 MiB of a text
// Devices are no files.
// RUN: %{exits} 1 keratin-opt /dev/zero 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: %{exits} 1 keratin-dump /dev/zero 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: {{^}}/dev/zero: error: this is neither a regular file nor a pipe

// The place is that in the file, of which a piece is parsed by itself.
// RUN: %{exits} 4 keratin-opt %t/pieces.mlir --split-input-file 2>&1 | FileCheck %s --check-prefix=PIECES
// PIECES: pieces.mlir:3:{{[0-9]+}}: error: a tensor of more than 32 dimensions
// What is a comment in a whole file is code in a piece.
// RUN: keratin-opt %t/comment.mlir
// RUN: %{exits} 1 keratin-opt %t/comment.mlir --split-input-file 2>&1 | FileCheck %s --check-prefix=COMMENT
// COMMENT: comment.mlir:2:26: error: 'vector', which models do not use

// Ops that parse, but are none of a model.
// RUN: %{exits} 1 keratin-dump %t/call.mlir --format=json 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: %{exits} 1 keratin-compile %t/call.mlir -o %t/x.so 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: %{exits} 1 keratin-run %t/call.mlir 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: call.mlir:2:8: error: 'func.call' op is no op of a model

// Variables that are not written element by element.
// RUN: %{exits} 4 keratin-dump %t/zeros.mlir 2>&1 | FileCheck %s --check-prefix=ZEROS
// ZEROS: zeros.mlir: error: variables up to 'w' that are filled with one value take more than 16 MiB
// RUN: %{exits} 4 keratin-dump %t/splats.mlir 2>&1 | FileCheck %s --check-prefix=SPLATS
// SPLATS: splats.mlir: error: variables up to 'w' that are filled with one value take more than 16 MiB
// RUN: keratin-run %t/filled.mlir | FileCheck %s --check-prefix=FILLED
// FILLED: output_0: float32 (2,)
// FILLED-NEXT: [3. 3.]
// FILLED: output_1: bool (3,)
// FILLED-NEXT: [ True  True  True]
// FILLED: output_2: int32 (2,)
// FILLED-NEXT: [-7 -7]

//--- aliases.mlir
#a0 = ["x"]
#a1 = [#a0, #a0, #a0, #a0, #a0, #a0, #a0, #a0, #a0, #a0]
#a2 = [#a1, #a1, #a1, #a1, #a1, #a1, #a1, #a1, #a1, #a1]
#a3 = [#a2, #a2, #a2, #a2, #a2, #a2, #a2, #a2, #a2, #a2]
#a4 = [#a3, #a3, #a3, #a3, #a3, #a3, #a3, #a3, #a3, #a3]
#a5 = [#a4, #a4, #a4, #a4, #a4, #a4, #a4, #a4, #a4, #a4]
#a6 = [#a5, #a5, #a5, #a5, #a5, #a5, #a5, #a5, #a5, #a5]
#a7 = [#a6, #a6, #a6, #a6, #a6, #a6, #a6, #a6, #a6, #a6]
#a8 = [#a7, #a7, #a7, #a7, #a7, #a7, #a7, #a7, #a7, #a7]
#a9 = [#a8, #a8, #a8, #a8, #a8, #a8, #a8, #a8, #a8, #a8]
module attributes {keratin.x = #a9} {}
//--- pieces.mlir
module {}
// -----
func.func private @f(tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>)
//--- comment.mlir
module {}
// comment // ----- !t = vector<4xf32>
//--- zeros.mlir
func.func @f(%x: tensor<2xf32>, %v: tensor<2097152xf32> {keratin.kind = "variable", keratin.name = "v"},
             %w: tensor<2097153xf32> {keratin.kind = "variable", keratin.name = "w"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- splats.mlir
func.func @f(%x: tensor<2xf32>, %w: tensor<65536x65536x65536xi8> {keratin.kind = "variable", keratin.name = "w", keratin.initial = dense<1> : tensor<65536x65536x65536xi8>})
    -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- filled.mlir
func.func @f(%a: tensor<2xf32> {keratin.kind = "variable", keratin.name = "a", keratin.initial = dense<3.0> : tensor<2xf32>},
             %b: tensor<3xi1> {keratin.kind = "variable", keratin.name = "b", keratin.initial = dense<true> : tensor<3xi1>},
             %c: tensor<2xi32> {keratin.kind = "variable", keratin.name = "c", keratin.initial = dense<-7> : tensor<2xi32>})
    -> (tensor<2xf32>, tensor<3xi1>, tensor<2xi32>) {
  return %a, %b, %c : tensor<2xf32>, tensor<3xi1>, tensor<2xi32>
}
//--- call.mlir
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
