// Passes of passes/complex; included by passes/Passes.td.

def ExpandComplex : KeratinPass<"expand-complex"> {
  let summary = "Makes two real values of each complex one.";
  let description = [{
    The first of all passes: nothing behind it knows complex numbers. What an op with `takesComplex`
    does to elements it does to their real and imaginary parts by themselves, so it becomes two ops;
    loops, branches and checkpoints carry two values for one. keratin.real and keratin.imag are one
    of the two, keratin.complex names both.

    Derivatives with respect to complex values become those with respect to both parts: of a real
    loss the gradient is dL/d(re) + i dL/d(im), as TensorFlow and PyTorch have it. A complex loss is
    refused.

    Arguments and results of the function keep their types. keratin.as_parts and keratin.from_parts
    are other names for the same memory, with the two parts in a last dimension; with
    `keep-views=false` they are keratin.real, imag and complex instead, for graphs that are saved.

    Before:
    ```mlir
    func.func @main(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
      %y = keratin.neg %z : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
      return %y : tensor<4xcomplex<f32>>
    }
    ```
    After:
    ```mlir
    func.func @main(%z: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
      %parts = keratin.as_parts %z : (tensor<4xcomplex<f32>>) -> tensor<4x2xf32>
      %0 = keratin.slice %parts starts = #keratin.dims<0, 0> strides = array<i64: 1, 1>
          : (tensor<4x2xf32>) -> tensor<4x1xf32>
      %re = keratin.reshape %0 : (tensor<4x1xf32>) -> tensor<4xf32>
      %1 = keratin.slice %parts starts = #keratin.dims<0, 1> strides = array<i64: 1, 1>
          : (tensor<4x2xf32>) -> tensor<4x1xf32>
      %im = keratin.reshape %1 : (tensor<4x1xf32>) -> tensor<4xf32>
      %2 = keratin.neg %re : (tensor<4xf32>) -> tensor<4xf32>
      %3 = keratin.neg %im : (tensor<4xf32>) -> tensor<4xf32>
      %4 = keratin.reshape %2 : (tensor<4xf32>) -> tensor<4x1xf32>
      %5 = keratin.reshape %3 : (tensor<4xf32>) -> tensor<4x1xf32>
      %6 = keratin.concatenate %4, %5 axis 1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
      %y = keratin.from_parts %6 : (tensor<4x2xf32>) -> tensor<4xcomplex<f32>>
      return %y : tensor<4xcomplex<f32>>
    }
    ```
  }];
  let options = [
    Option<"keepViews", "keep-views", "bool", "true",
        "arguments and results are views, not keratin.real, imag and complex">
  ];
}
