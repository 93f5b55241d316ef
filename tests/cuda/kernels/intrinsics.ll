; What LLVM's own intrinsics become: saturating conversions, halves, bfloats, rotations, shuffles, a switch, a trap.
target datalayout = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.sqrt.f32(float)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.fma.f32(float,float,float)
declare float @llvm.copysign.f32(float,float)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.fshl.i32(i32,i32,i32)
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32,i32,i32,i32)
declare void @llvm.trap()
@smem = internal addrspace(3) global [128 x float] undef, align 16
define void @k(i64 %p, i64 %q, i64 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t64 = zext i32 %t to i64
  %src = inttoptr i64 %p to ptr addrspace(1)
  %dst = inttoptr i64 %q to ptr addrspace(1)
  %ga = getelementptr float, ptr addrspace(1) %src, i64 %t64
  %v = load float, ptr addrspace(1) %ga, align 4
  %s = call float @llvm.sqrt.f32(float %v)
  %mn = call float @llvm.minimum.f32(float %s, float %v)
  %mx = call float @llvm.maxnum.f32(float %mn, float 1.0)
  %re = call float @llvm.roundeven.f32(float %mx)
  %d = fdiv float %re, 3.0
  %f = call float @llvm.fma.f32(float %d, float %v, float %s)
  %cs = call float @llvm.copysign.f32(float %f, float %v)
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %cs)
  %z = zext i32 %i to i64
  %lz = call i64 @llvm.ctlz.i64(i64 %z, i1 false)
  %lz32 = trunc i64 %lz to i32
  %pc = call i32 @llvm.ctpop.i32(i32 %i)
  %bs = call i32 @llvm.bswap.i32(i32 %pc)
  %rot = call i32 @llvm.fshl.i32(i32 %bs, i32 %bs, i32 7)
  %x = add i32 %rot, %lz32
  %h = fptrunc float %f to half
  %hh = fadd half %h, 0xH3C00
  %hf = fpext half %hh to float
  %bf = fptrunc float %hf to bfloat
  %bff = fpext bfloat %bf to float
  %dd = fpext float %bff to double
  %dm = fmul double %dd, 1.5
  %df = fptrunc double %dm to float
  %sp = getelementptr [128 x float], ptr addrspace(3) @smem, i64 0, i64 %t64
  store float %df, ptr addrspace(3) %sp
  call void @llvm.nvvm.barrier0()
  %y = xor i64 %t64, 1
  %sq = getelementptr [128 x float], ptr addrspace(3) @smem, i64 0, i64 %y
  %sv = load float, ptr addrspace(3) %sq
  %xi = bitcast float %sv to i32
  %xs = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %xi, i32 1, i32 31)
  %w = add i32 %xs, %x
  %c = icmp sgt i32 %w, 100000000
  br i1 %c, label %bad, label %ok
bad:
  %old = atomicrmw umin ptr addrspace(1) %dst, i32 5 monotonic
  br label %ok
ok:
  %sw = srem i32 %t, 6
  switch i32 %sw, label %def [ i32 0, label %a0
   i32 1, label %a1
   i32 2, label %a2
   i32 3, label %a3
   i32 4, label %a4 ]
a0: br label %end
a1: br label %end
a2: br label %end
a3: br label %end
a4: br label %end
def: br label %end
end:
  %ph = phi i32 [7, %a0], [%w, %a1], [%x, %a2], [%i, %a3], [99, %a4], [%t, %def]
  %gi = getelementptr i32, ptr addrspace(1) %dst, i64 %t64
  %gj = getelementptr i32, ptr addrspace(1) %gi, i64 4
  store i32 %ph, ptr addrspace(1) %gj
  %cmp = icmp ugt i64 %t64, %n
  br i1 %cmp, label %tr, label %done
tr:
  call void @llvm.trap()
  unreachable
done:
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{ptr @k, !"kernel", i32 1}
