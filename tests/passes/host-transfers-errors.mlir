// RUN: keratin-opt %s --keratin-form-kernels --keratin-plan-memory=space=device --keratin-build-host-program --verify-diagnostics

func.func @printed(%x: tensor<2305843009213693951xf32> {keratin.kind = "input"}) -> (tensor<2305843009213693951xf32> {keratin.kind = "output"}) {
  // expected-error @below {{the bytes that go to the host and back do not fit 64 bits}}
  %y = keratin.print "x" %x : tensor<2305843009213693951xf32>
  return %y : tensor<2305843009213693951xf32>
}
