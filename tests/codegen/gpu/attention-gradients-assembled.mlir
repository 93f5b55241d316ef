// What the assembler says of gradients of attention: for no architecture they spill a register, and by warpgroups
// products are not done one by one (C7510 and its neighbours).

// REQUIRES: ptxas
// RUN: for f in many brain unknown by_values; do for a in sm_80 sm_90 sm_90a sm_100 sm_120; do keratin-dump %s --target=cuda:$a --stage=ptx --function=$f > %t.ptx && %{ptxas} -v -arch=$a %t.ptx -o %t.cubin; done; done 2>&1 | FileCheck %s --implicit-check-not="(C75" --implicit-check-not=serialized
// RUN: for a in sm_80 sm_90 sm_100 sm_120; do keratin-dump %s --target=cuda:$a --float32-products=tf32 --stage=ptx --function=floats > %t.ptx && %{ptxas} -v -arch=$a %t.ptx -o %t.cubin; done 2>&1 | FileCheck %s --check-prefix=FLOATS

// CHECK-COUNT-55: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT:      {{[1-9][0-9]*}} bytes spill
// FLOATS-COUNT-12: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
func.func @many(%q: tensor<64x1024x64xf16>, %k: tensor<64x1024x64xf16>,
    %v: tensor<64x1024x64xf16>, %c: tensor<64x1024x64xf16>) -> (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x1024xf16>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<64x1024x1024xf16>
  %scaled = keratin.mul %s, %e1 : (tensor<64x1024x1024xf16>, tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf16>
  %x = keratin.cast %scaled : (tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %f = keratin.stop_gradient %m : (tensor<64x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w32 = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.cast %w32 : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x64xf16>
  %p = keratin.mul %y, %c : (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x64xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<64x1024x64xf16>) -> tensor<f16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>, tensor<64x1024x64xf16>
}
func.func @brain(%q: tensor<16x512x128xbf16>, %k: tensor<16x512x128xbf16>,
    %v: tensor<16x512x128xbf16>, %c: tensor<16x512x128xbf16>) -> (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) -> tensor<16x512x512xbf16>
  %e0 = keratin.constant dense<0.125> : tensor<bf16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<bf16>) -> tensor<16x512x512xbf16>
  %scaled = keratin.mul %s, %e1 : (tensor<16x512x512xbf16>, tensor<16x512x512xbf16>) -> tensor<16x512x512xbf16>
  %x = keratin.cast %scaled : (tensor<16x512x512xbf16>) -> tensor<16x512x512xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<16x512x512xf32>) -> tensor<16x512xf32>
  %f = keratin.stop_gradient %m : (tensor<16x512xf32>) -> tensor<16x512xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<16x512xf32>) -> tensor<16x512x512xf32>
  %d = keratin.sub %x, %mb : (tensor<16x512x512xf32>, tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %e = keratin.exp %d : (tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<16x512x512xf32>) -> tensor<16x512xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<16x512xf32>) -> tensor<16x512x512xf32>
  %w32 = keratin.div %e, %zb : (tensor<16x512x512xf32>, tensor<16x512x512xf32>) -> tensor<16x512x512xf32>
  %w = keratin.cast %w32 : (tensor<16x512x512xf32>) -> tensor<16x512x512xbf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<16x512x512xbf16>, tensor<16x512x128xbf16>) -> tensor<16x512x128xbf16>
  %p = keratin.mul %y, %c : (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) -> tensor<16x512x128xbf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<16x512x128xbf16>) -> tensor<bf16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<bf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>) -> (tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>)
  return %y, %g#0, %g#1, %g#2 : tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>, tensor<16x512x128xbf16>
}
func.func @unknown(%q: tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, %k: tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>,
    %v: tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>, %c: tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>) -> (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>, tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %scaled = keratin.mul %s, %e1 : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %x = keratin.cast %scaled : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %m = keratin.reduce_max %x axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %f = keratin.stop_gradient %m : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %d = keratin.sub %x, %mb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %e = keratin.exp %d : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w32 = keratin.div %e, %zb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w = keratin.cast %w32 : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) -> tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
  %p = keratin.mul %y, %c : (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>, tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>) -> tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>) -> tensor<f16>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f16>, tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) -> (tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>)
  return %y, %g#0, %g#1, %g#2 : tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>, tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>
}
func.func @by_values(%q: tensor<64x256x64xf16>, %k: tensor<64x256x64xf16>,
    %v: tensor<64x256x64xf16>, %c: tensor<64x256x64xf16>) -> (tensor<64x256x64xf16>, tensor<64x256x64xf16>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x256x64xf16>, tensor<64x256x64xf16>) -> tensor<64x256x256xf16>
  %e0 = keratin.constant dense<0.125> : tensor<f16>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f16>) -> tensor<64x256x256xf16>
  %scaled = keratin.mul %s, %e1 : (tensor<64x256x256xf16>, tensor<64x256x256xf16>) -> tensor<64x256x256xf16>
  %x = keratin.cast %scaled : (tensor<64x256x256xf16>) -> tensor<64x256x256xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x256x256xf32>) -> tensor<64x256xf32>
  %f = keratin.stop_gradient %m : (tensor<64x256xf32>) -> tensor<64x256xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<64x256xf32>) -> tensor<64x256x256xf32>
  %d = keratin.sub %x, %mb : (tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<64x256x256xf32>
  %e = keratin.exp %d : (tensor<64x256x256xf32>) -> tensor<64x256x256xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x256x256xf32>) -> tensor<64x256xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x256xf32>) -> tensor<64x256x256xf32>
  %w32 = keratin.div %e, %zb : (tensor<64x256x256xf32>, tensor<64x256x256xf32>) -> tensor<64x256x256xf32>
  %w = keratin.cast %w32 : (tensor<64x256x256xf32>) -> tensor<64x256x256xf16>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x256x256xf16>, tensor<64x256x64xf16>) -> tensor<64x256x64xf16>
  %p = keratin.mul %y, %c : (tensor<64x256x64xf16>, tensor<64x256x64xf16>) -> tensor<64x256x64xf16>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<64x256x64xf16>) -> tensor<f16>
  %g = keratin.gradients %loss wrt %v : (tensor<f16>, tensor<64x256x64xf16>) -> tensor<64x256x64xf16>
  return %y, %g : tensor<64x256x64xf16>, tensor<64x256x64xf16>
}
func.func @floats(%q: tensor<64x512x64xf32>, %k: tensor<64x512x64xf32>,
    %v: tensor<64x512x64xf32>, %c: tensor<64x512x64xf32>) -> (tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>) {
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x512x64xf32>, tensor<64x512x64xf32>) -> tensor<64x512x512xf32>
  %e0 = keratin.constant dense<0.125> : tensor<f32>
  %e1 = keratin.broadcast %e0 dims = [] : (tensor<f32>) -> tensor<64x512x512xf32>
  %x = keratin.mul %s, %e1 : (tensor<64x512x512xf32>, tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %f = keratin.stop_gradient %m : (tensor<64x512xf32>) -> tensor<64x512xf32>
  %mb = keratin.broadcast %f dims = [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %d = keratin.sub %x, %mb : (tensor<64x512x512xf32>, tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %e = keratin.exp %d : (tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x512x512xf32>) -> tensor<64x512xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x512xf32>) -> tensor<64x512x512xf32>
  %w = keratin.div %e, %zb : (tensor<64x512x512xf32>, tensor<64x512x512xf32>) -> tensor<64x512x512xf32>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x512x512xf32>, tensor<64x512x64xf32>) -> tensor<64x512x64xf32>
  %p = keratin.mul %y, %c : (tensor<64x512x64xf32>, tensor<64x512x64xf32>) -> tensor<64x512x64xf32>
  %loss = keratin.reduce_sum %p axes = [0, 1, 2] : (tensor<64x512x64xf32>) -> tensor<f32>
  %g:3 = keratin.gradients %loss wrt %q, %k, %v : (tensor<f32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>) -> (tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>)
  return %y, %g#0, %g#1, %g#2 : tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>, tensor<64x512x64xf32>
}
