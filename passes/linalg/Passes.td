// Passes of passes/linalg; included by passes/Passes.td.

def ExpandFactorizations : KeratinPass<"expand-factorizations"> {
  let summary = "Replaces factorizations of matrices, and what is solved by them, by loops and contractions.";
  let description = [{
    So every target has them by what it makes of those. A block of rows and columns is a
    keratin.scan over columns, whose steps work on whole vectors; what the op does not read is masked.
    Matrices of a known size above a block are divided into blocks when the function is compiled: one on
    the diagonal is factored by the loop, the panel beside it and the rest of the matrix follow by
    keratin.dot_general. Matrices of an unknown size are one block. Leading dimensions are batches
    throughout. Of one matrix several rows are worked on at once, if
    the option says so: they are ops that one kernel has in registers.

    Before:
    ```mlir
    %y = keratin.triangular_solve %a, %b {lower} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    ```
    After:
    ```mlir
    %y = keratin.scan length = #keratin.dims<4> init(%b) over(%columns, %diagonal) with()
        : (…) -> tensor<4x2xf32> {
    ^bb0(%t: tensor<i64>, %rest: tensor<4x2xf32>, %column: tensor<4xf32>, %d: tensor<f32>):
      …                    // row %t is divided by %d, the rows below lose %column times it
    }
    ```

    Of a batch of known size that is more than caches hold, groups of matrices are done one after the other.
    Before:
    ```mlir
    %y = keratin.cholesky %x : (tensor<1000x64x64xf32>) -> tensor<1000x64x64xf32>
    ```
    After (the op in the loop is expanded as above):
    ```mlir
    %0 = keratin.reshape %x : (tensor<1000x64x64xf32>) -> tensor<125x8x64x64xf32>
    %1 = keratin.scan length = <125> init() over(%0) with() : (…) -> tensor<125x8x64x64xf32> {
    ^bb0(%t: tensor<i64>, %some: tensor<8x64x64xf32>):
      %2 = keratin.cholesky %some : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
      keratin.yield %2 : tensor<8x64x64xf32>
    }
    %y = keratin.reshape %1 : (tensor<125x8x64x64xf32>) -> tensor<1000x64x64xf32>
    ```
  }];
  let options = [
    Option<"bytesAtOnce", "bytes-at-once", "int64_t", "256 << 10",
        "operands and results of the matrices that are done at once; 0: all of a batch">,
    Option<"rowsAtOnce", "rows-at-once", "int64_t", "1",
        "rows of one matrix that a step of a loop works on; a divisor of 32">,
  ];
}

def ExpandFourierTransforms : KeratinPass<"expand-fourier-transforms"> {
  let summary = "Replaces Fourier transforms by sums, differences and products with constants.";
  let description = [{
    So every target has them by what it makes of those. A length from 64 on whose prime factors are
    2, 3, 5 and 7 is a matrix of rows: its columns are transformed, in stages of 8 numbers at most
    that are written out, rotated, transposed and transformed again. Another with prime factors up
    to 61 becomes stages that are contractions with constant matrices, of real and imaginary parts
    at once; one with a larger prime factor a convolution by transforms of a length with factors 2, 3
    and 5; one that only the call knows a product with a matrix that the call computes. Where
    imaginary parts are zeros, or nobody reads those of the results, an even length takes a
    transform of half of it. Leading dimensions are batches throughout. Many lines are done a few at
    a time, in a loop, so that stages read from a cache what the ones before wrote (`blocks`).

    Before:
    ```mlir
    %y:2 = keratin.fft %re, %im : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    ```
    After (of a length that is one stage):
    ```mlir
    %x = keratin.concatenate %re, %im {axis = 0 : i64} : (…) -> tensor<8x1xf32>
    %matrix = keratin.constant dense<…> : tensor<8x8xf32>
    %y = keratin.dot_general %x, %matrix batch = [] x [] contract = [0] x [0] : (…) -> tensor<1x8xf32>
    …                      // the first four are the real parts
    ```
  }];
  let options = [Option<"blocks", "blocks", "bool", "true",
                        "false: all lines at once">];
}
