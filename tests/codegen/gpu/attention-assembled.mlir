// What the assembler says of attention: for no architecture it spills a register, and by warpgroups products are not
// done one by one (C7510 and its neighbours).

// REQUIRES: ptxas
// RUN: for f in many brain unknown few; do for a in sm_80 sm_90 sm_90a sm_100 sm_120; do keratin-dump %s --target=cuda:$a --stage=ptx --function=$f > %t.ptx && %{ptxas} -v -arch=$a %t.ptx -o %t.cubin; done; done 2>&1 | FileCheck %s --implicit-check-not="(C75" --implicit-check-not=serialized
// RUN: for a in sm_80 sm_90 sm_100 sm_120; do keratin-dump %s --target=cuda:$a --float32-products=tf32 --stage=ptx --function=floats > %t.ptx && %{ptxas} -v -arch=$a %t.ptx -o %t.cubin; done 2>&1 | FileCheck %s --check-prefix=FLOATS

// CHECK-COUNT-20: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// FLOATS-COUNT-4: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
func.func @many(%q: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<64x1024x64xf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<64x1024x64xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x64xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x1024xf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<64x1024x1024xf16>
  %scaled = keratin.mul %s, %cb : (tensor<64x1024x1024xf16>, tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf16>
  %x = keratin.cast %scaled : (tensor<64x1024x1024xf16>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %p = keratin.cast %w : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf16>, tensor<64x1024x64xf16>) -> tensor<64x1024x64xf16>
  return %y : tensor<64x1024x64xf16>
}
func.func @brain(%q: tensor<512x1024x128xbf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<512x1024x128xbf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<512x1024x128xbf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<512x1024x128xbf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<bf16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<512x1024x128xbf16>, tensor<512x1024x128xbf16>) -> tensor<512x1024x1024xbf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<bf16>) -> tensor<512x1024x1024xbf16>
  %scaled = keratin.mul %s, %cb : (tensor<512x1024x1024xbf16>, tensor<512x1024x1024xbf16>) -> tensor<512x1024x1024xbf16>
  %x = keratin.cast %scaled : (tensor<512x1024x1024xbf16>) -> tensor<512x1024x1024xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<512x1024x1024xf32>) -> tensor<512x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<512x1024xf32>) -> tensor<512x1024x1024xf32>
  %d = keratin.sub %x, %mb : (tensor<512x1024x1024xf32>, tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xf32>
  %e = keratin.exp %d : (tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<512x1024x1024xf32>) -> tensor<512x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<512x1024xf32>) -> tensor<512x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<512x1024x1024xf32>, tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xf32>
  %p = keratin.cast %w : (tensor<512x1024x1024xf32>) -> tensor<512x1024x1024xbf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<512x1024x1024xbf16>, tensor<512x1024x128xbf16>) -> tensor<512x1024x128xbf16>
  return %y : tensor<512x1024x128xbf16>
}
func.func @unknown(%q: tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x32xf16, #keratin.dims<d0, d1, 32>>, tensor<?x?x32xf16, #keratin.dims<d0, d2, 32>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %scaled = keratin.mul %s, %cb : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %x = keratin.cast %scaled : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %m = keratin.reduce_max %x axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %d = keratin.sub %x, %mb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %e = keratin.exp %d : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?xf32, #keratin.dims<d0, d1>>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<?x?xf32, #keratin.dims<d0, d1>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %w = keratin.div %e, %zb : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>, tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>
  %p = keratin.cast %w : (tensor<?x?x?xf32, #keratin.dims<d0, d1, d2>>) -> tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<?x?x?xf16, #keratin.dims<d0, d1, d2>>, tensor<?x?x64xf16, #keratin.dims<d0, d2, 64>>) -> tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
  return %y : tensor<?x?x64xf16, #keratin.dims<d0, d1, 64>>
}
func.func @few(%q: tensor<8x256x64xf16> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<8x256x64xf16> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<8x256x64xf16> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<8x256x64xf16> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f16>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<8x256x64xf16>, tensor<8x256x64xf16>) -> tensor<8x256x256xf16>
  %cb = keratin.broadcast %c dims = [] : (tensor<f16>) -> tensor<8x256x256xf16>
  %scaled = keratin.mul %s, %cb : (tensor<8x256x256xf16>, tensor<8x256x256xf16>) -> tensor<8x256x256xf16>
  %x = keratin.cast %scaled : (tensor<8x256x256xf16>) -> tensor<8x256x256xf32>
  %m = keratin.reduce_max %x axes = [2] : (tensor<8x256x256xf32>) -> tensor<8x256xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x256xf32>
  %d = keratin.sub %x, %mb : (tensor<8x256x256xf32>, tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %e = keratin.exp %d : (tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<8x256x256xf32>) -> tensor<8x256xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<8x256xf32>) -> tensor<8x256x256xf32>
  %w = keratin.div %e, %zb : (tensor<8x256x256xf32>, tensor<8x256x256xf32>) -> tensor<8x256x256xf32>
  %p = keratin.cast %w : (tensor<8x256x256xf32>) -> tensor<8x256x256xf16>
  %y = keratin.dot_general %p, %v batch = [0] x [0] contract = [2] x [1] : (tensor<8x256x256xf16>, tensor<8x256x64xf16>) -> tensor<8x256x64xf16>
  return %y : tensor<8x256x64xf16>
}
func.func @floats(%q: tensor<64x1024x64xf32> {keratin.kind = "input", keratin.name = "q"}, %k: tensor<64x1024x64xf32> {keratin.kind = "input", keratin.name = "k"},
    %v: tensor<64x1024x64xf32> {keratin.kind = "input", keratin.name = "v"}) -> (tensor<64x1024x64xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %c = keratin.constant dense<0.125> : tensor<f32>
  %s = keratin.dot_general %q, %k batch = [0] x [0] contract = [2] x [2] : (tensor<64x1024x64xf32>, tensor<64x1024x64xf32>) -> tensor<64x1024x1024xf32>
  %cb = keratin.broadcast %c dims = [] : (tensor<f32>) -> tensor<64x1024x1024xf32>
  %scaled = keratin.mul %s, %cb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %m = keratin.reduce_max %scaled axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %mb = keratin.broadcast %m dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %d = keratin.sub %scaled, %mb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %e = keratin.exp %d : (tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %z = keratin.reduce_sum %e axes = [2] : (tensor<64x1024x1024xf32>) -> tensor<64x1024xf32>
  %zb = keratin.broadcast %z dims = [0, 1] : (tensor<64x1024xf32>) -> tensor<64x1024x1024xf32>
  %w = keratin.div %e, %zb : (tensor<64x1024x1024xf32>, tensor<64x1024x1024xf32>) -> tensor<64x1024x1024xf32>
  %y = keratin.dot_general %w, %v batch = [0] x [0] contract = [2] x [1] : (tensor<64x1024x1024xf32>, tensor<64x1024x64xf32>) -> tensor<64x1024x64xf32>
  return %y : tensor<64x1024x64xf32>
}
