// Kernels on the device "cuda" whose threads do units as the CPU does: their parameters, their
// place in the grid, and what is in place of the context.

// RUN: keratin-dump %s --target=cuda --stage=ptx --function=chain | FileCheck %s --check-prefix=CHAIN
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=looks_up | FileCheck %s --check-prefix=FAILS
// RUN: keratin-dump %s --target=cuda --stage=ptx --function=prints | FileCheck %s --check-prefix=HOST

// Two pointers and a size; units, grain, failure word, guarded, what blocks meet by.
// CHAIN:       .version 8.0
// CHAIN-NEXT:  .target sm_80
// CHAIN-LABEL: .visible .entry model_kernel_0(
// CHAIN:         .param .u64 model_kernel_0_param_8
// CHAIN-NEXT:  )
// CHAIN-NEXT:  .maxntid 128, 1, 1
// A launch behind a guard looks whether something has failed.
// CHAIN:         ld.param.u64 [[GUARDED:%rd[0-9]+]], [model_kernel_0_param_6];
// CHAIN:         setp.eq.s64 [[FREE:%p[0-9]+]], [[GUARDED]], 0;
// CHAIN:         ld.param.u64 [[WORD:%rd[0-9]+]], [model_kernel_0_param_5];
// CHAIN:         ld.volatile.global.u32 {{%r[0-9]+}}, [[[WORD]]];
// CHAIN:         ld.global.f32
// CHAIN:         fma.rn.f32
// CHAIN-NOT:     {{(ld|st)\.f32}}
// CHAIN-NOT:     .local
// CHAIN:         st.global{{.*}}f32
func.func @chain(%x: tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<?xf32, #keratin.dims<d0>> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.exp %x : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?xf32, #keratin.dims<d0>>
  return %0 : tensor<?xf32, #keratin.dims<d0>>
}

// The site of an index outside is noted if no lower one is.
// FAILS:     ld.param.u32 [[SITE:%r[0-9]+]], [model_kernel_0_param_3];
// FAILS:     atom.global.min.u32 {{%r[0-9]+}}, [%rd{{[0-9]+}}], [[SITE]];
// FAILS-NOT: call
func.func @looks_up(%x: tensor<8x4xf32> {keratin.kind = "input", keratin.name = "x"},
                    %i: tensor<3xi32> {keratin.kind = "input", keratin.name = "i"})
    -> (tensor<3x4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.gather %x, %i : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// What the host does itself is no kernel of the device's.
// HOST-NOT: .visible .entry
func.func @prints(%x: tensor<4xf32> {keratin.kind = "input", keratin.name = "x"})
    -> (tensor<4xf32> {keratin.kind = "output", keratin.name = "y"}) {
  %0 = keratin.print "x" %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
