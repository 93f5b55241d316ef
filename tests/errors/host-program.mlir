// RUN: keratin-opt %s --split-input-file --verify-diagnostics

// A host program names what its function has, writes each place before it reads it, and knows each size before it needs it.

// Nothing wrong.
func.func @accepted(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @accepted {
  %x = host.argument 0
  %m = host.memory 0
  %a = host.at %m, <0>
  %y = host.result 0
  host.launch kernel 0 (%x) -> (%a) on 0
  host.launch kernel 1 (%a) -> (%y) on 0
}

// -----

// expected-error @below {{needs a function @nothing with a body}}
host.program of @nothing {
  host.check
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %m = host.memory 0
  %a = host.at %m, <0>
  // expected-error @below {{reads what nothing has written before}}
  host.launch kernel 0 (%a) -> (%a) on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %y = host.result 0
  %m = host.memory 0
  %a = host.at %m, <0>
  %b = host.at %m, <64>
  host.launch kernel 0 (%x) -> (%a) on 0
  // expected-error @below {{reads what nothing has written before}}
  host.copy %b to %y, <64> on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  // expected-error @below {{writes input 0}}
  host.launch kernel 0 (%x) -> (%x) on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  // expected-error @below {{names argument 1 of 1}}
  %x = host.argument 1
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  // expected-error @below {{names result 1 of 1}}
  %x = host.result 1
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  // expected-error @below {{names constant 1 of 1}}
  %x = host.constant 1
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %c = host.constant 0
  %x = host.argument 0
  // expected-error @below {{writes constant 0}}
  host.copy %x to %c, <64> on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  // expected-error @below {{names memory 1 of 1}}
  %x = host.memory 1
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %y = host.result 0
  // expected-error @below {{names kernel 1 of 1}}
  host.launch kernel 1 (%x) -> (%y) on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %y = host.result 0
  // expected-error @below {{has 2 inputs and 1 outputs for a kernel with 1 and 1}}
  host.launch kernel 0 (%x, %x) -> (%y) on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %y = host.result 0
  // expected-error @below {{needs one size, found #keratin.dims<4, 4>}}
  host.copy %x to %y, <4, 4> on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %n = host.size <7>
  // expected-error @below {{defines d5, which the function does not}}
  %sound = host.define_size 5, %n
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %n = host.size <7>
  // expected-error @below {{has tapes of d5, which the function does not define}}
  %room = host.grow_tapes 5, %n
}

// -----

func.func @f(%n: tensor<i64> {keratin.kind = "input"}) -> (tensor<i64> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>, #keratin.memory<host, 64, after d5>]} {
  keratin.define_size 5 %n : tensor<i64>
  return %n : tensor<i64>
}
host.program of @f {
  // expected-error @below {{needs d5 before it is defined}}
  %n = host.size <d5>
}

// -----

func.func @f(%n: tensor<i64> {keratin.kind = "input"}) -> (tensor<i64> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>, #keratin.memory<host, 64, after d5>]} {
  keratin.define_size 5 %n : tensor<i64>
  return %n : tensor<i64>
}
host.program of @f {
  // expected-error @below {{needs d5 before it is defined}}
  %m = host.memory 1
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  // expected-error @below {{has a type other than places, i64 and i1, which a host program knows}}
  %c = arith.constant 1.0 : f32
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %n = host.size <7>
  // expected-error @below {{is no op of a host program}}
  %m = arith.divsi %n, %n : i64
}

// -----

// expected-error @below {{is no function, of which a model is made}}
scf.execute_region { scf.yield }

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %c = keratin.constant dense<0.0> : tensor<16xf32>
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %a = host.at %m, <0>
  // expected-error @below {{names memory 7 of 1}}
  %m = host.memory 7
  host.launch kernel 0 (%a) -> (%a) on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  // expected-error @below {{is for programs whose memories are a device's}}
  %s = host.staging <8>
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<device, 64>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %s = host.staging <64>
  // expected-error @below {{needs a place in the memory of the device, found one of the host}}
  host.launch kernel 0 (%x) -> (%s) on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<device, 64>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  // expected-error @below {{needs a place in the memory of the host, found one of the device}}
  %n = host.read %x : i64
}

// -----

// Nothing wrong.
func.func @transfers(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<device, 64>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @transfers {
  %x = host.argument 0
  %y = host.result 0
  %s = host.staging <64>
  host.fetch %x to %s, <64> on 0
  %n = host.read %s : i64
  host.write %n to %s
  host.send %s to %y, <64> on 0
  host.copy %y to %y, <64> on 0
  host.launch kernel 0 (%y) -> (%y) on 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  // expected-error @below {{is resident in a program whose memories are the host's}}
  host.loop resident {
  }
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<device, 64>]} {
  %y = keratin.kernel (%x) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  host.loop resident {
    // expected-error @below {{needs the host, in a resident loop}}
    %s = host.staging <8>
  }
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %m = host.memory 0
  %a = host.at %m, <0>
  %y = host.result 0
  host.start_collective kernel 0 (%x) -> (%a) on 0
  // expected-error @below {{reads memory of kernel 0 before it has been waited for}}
  host.launch kernel 1 (%a) -> (%y) on 0
  host.wait_collective kernel 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %m = host.memory 0
  %a = host.at %m, <0>
  %y = host.result 0
  host.start_collective kernel 0 (%x) -> (%a) on 0
  // expected-error @below {{writes memory of kernel 0 before it has been waited for}}
  host.copy %x to %a, <64> on 0
  host.wait_collective kernel 0
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
host.program of @f {
  %x = host.argument 0
  %m = host.memory 0
  %a = host.at %m, <0>
  %y = host.result 0
  host.start_collective kernel 0 (%x) -> (%a) on 0
  // expected-error @below {{waits for kernel 1, which is not the first that has been started}}
  host.wait_collective kernel 1
}

// -----

func.func @f(%x: tensor<16xf32> {keratin.kind = "input"}) -> (tensor<16xf32> {keratin.kind = "output"}) attributes {keratin.memories = [#keratin.memory<host, 64>]} {
  %a = keratin.kernel (%x) {keratin.places = [#keratin.place<arena, 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.all_reduce sum %p : tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  %y = keratin.kernel (%a) {keratin.places = [#keratin.place<returned 0>]} : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%p: tensor<16xf32>):
    %0 = keratin.tanh %p : (tensor<16xf32>) -> tensor<16xf32>
    keratin.yield %0 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
// expected-error @below {{ends before it waits for kernel 0}}
host.program of @f {
  %x = host.argument 0
  %m = host.memory 0
  %a = host.at %m, <0>
  %y = host.result 0
  host.start_collective kernel 0 (%x) -> (%a) on 0
}
