// Passes of passes/verify; included by passes/Passes.td.
def CheckMemoryPlan : KeratinPass<"check-memory-plan"> {
  let summary = "verify a memory plan by brute force";
  let description = [{
    Judges what keratin-plan-memory wrote, knowing only the meaning of the attributes
    (passes/memory/MemoryPlan.h): for many values of the symbols, every pair of buffers that are
    alive at one time is compared, every offset must be a multiple of the alignment inside the
    arena, every declared reuse and in-place update must be one that cannot be observed. Quadratic,
    for tests. Fails with a diagnostic; changes nothing.
  }];
  let options = [
    Option<"alignment", "alignment", "int64_t", "64", "bytes on a multiple of which buffers begin">
  ];
}

def CheckNumbers : KeratinPass<"check-numbers"> {
  let summary = "make the function look for numbers that are not finite";
  let description = [{
    Behind everything else a branch is put that computes all of it once more, step by step, and
    looks at what each op has made. It is taken where the kernels, which get to know by the
    function's attribute `keratin.check_numbers` that they must take note of such numbers, have
    met with one (`keratin.suspect_numbers`). So a call in which all numbers are finite pays for
    taking note alone, and one that fails finds what a kernel of many ops does not keep. Nothing
    is in place that the branch reads: it sees the values before updates. What prints does so
    once.

    Comes when all rewriting is over and before kernels are formed. Ops that take elements
    without computing, constants, and elements that all their users leave aside
    (`keratin.select`) are to blame for nothing.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = keratin.log %x : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {keratin.check_numbers} {
      %0 = keratin.log %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = keratin.suspect_numbers %0 : (tensor<4xf32>) -> tensor<i1>
      keratin.if %1 with(%x) : (tensor<i1>, tensor<4xf32>) -> () {
      ^bb0(%a: tensor<4xf32>):
        %2 = keratin.log %a : (tensor<4xf32>) -> tensor<4xf32>
        keratin.check_numbers elementwise "log" 0 %2 of %a : (tensor<4xf32>, tensor<4xf32>) -> ()
        keratin.check_numbers fed "input 'x'" 1 %a of %2 : (tensor<4xf32>, tensor<4xf32>) -> ()
        keratin.yield
      } else {
      ^bb0(%a: tensor<4xf32>):
        keratin.yield
      }
      return %0 : tensor<4xf32>
    }
    ```
  }];
}

def Fail : KeratinPass<"fail"> {
  let summary = "fail on purpose";
  let description = [{
    Reports an internal error and changes nothing: for tests of what such an error leaves behind
    (compiler/driver/Reproducer.h).
  }];
}
