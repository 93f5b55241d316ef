// Passes of passes/verify; included by passes/Passes.td.
def CheckMemoryPlan : KeratinPass<"check-memory-plan"> {
  let summary = "verify a memory plan by brute force";
  let description = [{
    Judges what keratin-plan-memory wrote, knowing only the meaning of the attributes (passes/memory/MemoryPlan.h): for many values
    of the symbols, every pair of buffers that are alive at one time is compared, every offset must be a multiple of 64 inside the arena, every declared
    reuse and in-place update must be one that cannot be observed. Quadratic, for tests. Fails with a diagnostic; changes nothing.
  }];
}

def Fail : KeratinPass<"fail"> {
  let summary = "fail on purpose";
  let description = [{
    Reports an internal error and changes nothing: for tests of what such an error leaves behind (compiler/driver/Reproducer.h).
  }];
}
