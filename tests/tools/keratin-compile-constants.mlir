// The constant has the bytes of the input's name; as data of a kernel it is aligned all the same.
// RUN: rm -rf %t && mkdir %t && keratin-compile %s -o %t/libm.so
// RUN: keratin-run %t/libm.so --function=f --random=1 | FileCheck %s
// CHECK: output_0: int8 (4,)
func.func @f(%x: tensor<4xi8> {keratin.name = "abc"}) -> tensor<4xi8> {
  %c = keratin.constant dense<[97, 98, 99, 0]> : tensor<4xi8>
  %y = keratin.add %x, %c : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %y : tensor<4xi8>
}
