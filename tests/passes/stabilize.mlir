// RUN: keratin-opt %s --keratin-stabilize --keratin-eliminate-common-subexpressions | FileCheck %s

//===-- Logarithms and exponentials ---------------------------------------------------------------===//

// CHECK-LABEL: func.func @log_of_exp
// CHECK-NEXT:    return %arg0
func.func @log_of_exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.log %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// exp(log(x)) is NaN for negative x.
// CHECK-LABEL: func.func @exp_of_log_stays
// CHECK:         keratin.log
// CHECK:         keratin.exp
func.func @exp_of_log_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = keratin.log %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @expm1_and_log1p
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG:     %[[E:.*]] = keratin.expm1 %[[X]]
// CHECK-DAG:     %[[N:.*]] = keratin.neg %[[E]]
// CHECK-DAG:     %[[L:.*]] = keratin.log1p %[[X]]
// CHECK-DAG:     %[[M:.*]] = keratin.neg %[[X]]
// CHECK-DAG:     %[[R:.*]] = keratin.log1p %[[M]]
// CHECK:         return %[[E]], %[[N]], %[[L]], %[[R]]
func.func @expm1_and_log1p(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = keratin.constant dense<1.0> : tensor<4xf32>
  %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.sub %0, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.sub %one, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.add %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = keratin.log %3 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = keratin.sub %one, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = keratin.log %5 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %4, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

//===-- Logistic ----------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @logistic_in_its_spellings
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[Y:.*]] = keratin.logistic %[[X]]
// CHECK-NEXT:    return %[[Y]], %[[Y]], %[[Y]], %[[Y]]
func.func @logistic_in_its_spellings(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = keratin.constant dense<1.0> : tensor<4xf32>
  %half = keratin.constant dense<0.5> : tensor<4xf32>
  %two = keratin.constant dense<2.0> : tensor<4xf32>
  %n = keratin.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = keratin.exp %n : (tensor<4xf32>) -> tensor<4xf32>
  %a1 = keratin.add %one, %a0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %a = keratin.div %one, %a1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %b1 = keratin.add %b0, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = keratin.div %b0, %b1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c0 = keratin.div %x, %two : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c1 = keratin.tanh %c0 : (tensor<4xf32>) -> tensor<4xf32>
  %c2 = keratin.add %c1, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = keratin.mul %half, %c2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d0 = keratin.mul %half, %c1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = keratin.add %d0, %half : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a, %b, %c, %d : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @quotient_of_different_exponentials_stays
// CHECK:         keratin.div
// CHECK-NOT:     keratin.logistic
// CHECK:         return
func.func @quotient_of_different_exponentials_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = keratin.constant dense<1.0> : tensor<4xf32>
  %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.add %1, %one : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.div %0, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// log(p) and log(1 - p).
// CHECK-LABEL: func.func @sigmoid_crossentropy
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG:     %[[N:.*]] = keratin.neg %[[X]]
// CHECK-DAG:     %[[A:.*]] = keratin.softplus %[[N]]
// CHECK-DAG:     %[[P:.*]] = keratin.neg %[[A]]
// CHECK-DAG:     %[[B:.*]] = keratin.softplus %[[X]]
// CHECK-DAG:     %[[Q:.*]] = keratin.neg %[[B]]
// CHECK:         return %[[P]], %[[Q]]
func.func @sigmoid_crossentropy(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = keratin.constant dense<1.0> : tensor<4xf32>
  %0 = keratin.logistic %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.log %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.sub %one, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.log %2 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// The documented values of K::binary_crossentropy from probabilities are those of the clip.
// CHECK-LABEL: func.func @clip_of_probabilities_stays
// CHECK:         keratin.logistic
// CHECK:         keratin.maximum
// CHECK:         keratin.minimum
// CHECK:         keratin.log
// CHECK-NOT:     keratin.softplus
// CHECK:         return
func.func @clip_of_probabilities_stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %low = keratin.constant dense<1.0e-7> : tensor<4xf32>
  %high = keratin.constant dense<0.9999999> : tensor<4xf32>
  %0 = keratin.logistic %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.maximum %0, %low : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.minimum %1, %high : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.log %2 : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @softplus_in_its_spellings
// CHECK-SAME:  (%[[X:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<4xf32>)
// CHECK-DAG:     %[[S:.*]] = keratin.softplus %[[X]]
// CHECK-DAG:     %[[M:.*]] = keratin.mul %[[X]], %[[T]]
// CHECK-DAG:     %[[C:.*]] = keratin.sub %[[S]], %[[M]]
// CHECK:         return %[[S]], %[[S]], %[[C]]
func.func @softplus_in_its_spellings(%x: tensor<4xf32>, %t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = keratin.constant dense<1.0> : tensor<4xf32>
  %zero = keratin.constant dense<0.0> : tensor<4xf32>
  %0 = keratin.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = keratin.add %one, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = keratin.log %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = keratin.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %4 = keratin.neg %3 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = keratin.exp %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = keratin.log1p %5 : (tensor<4xf32>) -> tensor<4xf32>
  %7 = keratin.maximum %x, %zero : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = keratin.add %7, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = keratin.mul %x, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = keratin.sub %7, %9 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %11 = keratin.add %10, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %8, %11 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

//===-- Softmax -----------------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @log_of_softmax
// CHECK-SAME:  (%[[X:.*]]: tensor<?x4xf32, #keratin.dims<d0, 4>>)
// CHECK-NEXT:    %[[M:.*]] = keratin.reduce_max %[[X]] axes = [1]
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %[[M]] dims = [0]
// CHECK-NEXT:    %[[U:.*]] = keratin.sub %[[X]], %[[B]]
// CHECK-NEXT:    %[[E:.*]] = keratin.exp %[[U]]
// CHECK-NEXT:    %[[S:.*]] = keratin.reduce_sum %[[E]] axes = [1]
// CHECK-NEXT:    %[[L:.*]] = keratin.log %[[S]]
// CHECK-NEXT:    %[[C:.*]] = keratin.broadcast %[[L]] dims = [0]
// CHECK-NEXT:    %[[Y:.*]] = keratin.sub %[[U]], %[[C]]
// CHECK-NEXT:    return %[[Y]]
func.func @log_of_softmax(%x: tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>> {
  %m = keratin.reduce_max %x axes = [1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xf32, #keratin.dims<d0>>
  %b = keratin.broadcast %m dims = [0] : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %u = keratin.sub %x, %b : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %e = keratin.exp %u : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?xf32, #keratin.dims<d0>>
  %k = keratin.reshape %s : (tensor<?xf32, #keratin.dims<d0>>) -> tensor<?x1xf32, #keratin.dims<d0, 1>>
  %c = keratin.broadcast %k dims = [0, 1] : (tensor<?x1xf32, #keratin.dims<d0, 1>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %p = keratin.div %e, %c : (tensor<?x4xf32, #keratin.dims<d0, 4>>, tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  %y = keratin.log %p : (tensor<?x4xf32, #keratin.dims<d0, 4>>) -> tensor<?x4xf32, #keratin.dims<d0, 4>>
  return %y : tensor<?x4xf32, #keratin.dims<d0, 4>>
}

// Before gradients are expanded the shift is a constant for them.
// CHECK-LABEL: func.func @unshifted_softmax_is_shifted
// CHECK-SAME:  (%[[X:.*]]: tensor<2x4xf32>)
// CHECK:         %[[M:.*]] = keratin.reduce_max %[[X]] axes = [1]
// CHECK-NEXT:    %[[G:.*]] = keratin.stop_gradient %[[M]]
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %[[G]] dims = [0]
// CHECK-NEXT:    %[[U:.*]] = keratin.sub %[[X]], %[[B]]
// CHECK-NEXT:    %[[E:.*]] = keratin.exp %[[U]]
// CHECK-NEXT:    %[[S:.*]] = keratin.reduce_sum %[[E]] axes = [1]
// CHECK-NEXT:    %[[C:.*]] = keratin.broadcast %[[S]] dims = [0]
// CHECK-NEXT:    %[[P:.*]] = keratin.div %[[E]], %[[C]]
func.func @unshifted_softmax_is_shifted(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %one = keratin.constant dense<1.0> : tensor<2xf32>
  %e = keratin.exp %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  %r = keratin.div %one, %s : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = keratin.broadcast %r dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %p = keratin.mul %e, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %q = keratin.mul %p, %p : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %l = keratin.reduce_sum %q axes = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %x : (tensor<f32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %p, %g : tensor<2x4xf32>, tensor<2x4xf32>
}

// The sum runs over other axes than the maximum: the shift proves nothing.
// CHECK-LABEL: func.func @shift_along_other_axes_is_no_shift
// CHECK-COUNT-2: keratin.reduce_max
func.func @shift_along_other_axes_is_no_shift(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %m = keratin.reduce_max %x axes = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  %b = keratin.broadcast %m dims = [] : (tensor<f32>) -> tensor<2x4xf32>
  %u = keratin.sub %x, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %e = keratin.exp %u : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  %c = keratin.broadcast %s dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %p = keratin.div %e, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %p : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @logsumexp_is_shifted_where_finite
// CHECK-SAME:  (%[[X:.*]]: tensor<2x4xf32>)
// CHECK-DAG:     %[[M:.*]] = keratin.reduce_max %[[X]] axes = [1]
// CHECK-DAG:     %[[F:.*]] = keratin.is_finite %[[M]]
// CHECK:         %[[S:.*]] = keratin.select %[[F]], %[[M]], %{{.*}}
// CHECK:         %[[L:.*]] = keratin.log %
// CHECK:         %[[Y:.*]] = keratin.add %[[S]], %[[L]]
// CHECK:         return %[[Y]]
func.func @logsumexp_is_shifted_where_finite(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %e = keratin.exp %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  %l = keratin.log %s : (tensor<2xf32>) -> tensor<2xf32>
  return %l : tensor<2xf32>
}

// log(softmax(x)[i]) picks from the logarithm.
// CHECK-LABEL: func.func @log_of_picked_probability
// CHECK:         %[[G:.*]] = keratin.gather %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<2xi32>) -> tensor<2xf32>
// CHECK-NEXT:    return %[[G]]
func.func @log_of_picked_probability(%x: tensor<2x4xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %e = keratin.exp %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %s = keratin.reduce_sum %e axes = [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  %c = keratin.broadcast %s dims = [0] : (tensor<2xf32>) -> tensor<2x4xf32>
  %p = keratin.div %e, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %f = keratin.reshape %p : (tensor<2x4xf32>) -> tensor<8xf32>
  %g = keratin.gather %f, %i : (tensor<8xf32>, tensor<2xi32>) -> tensor<2xf32>
  %l = keratin.log %g : (tensor<2xf32>) -> tensor<2xf32>
  return %l : tensor<2xf32>
}

//===-- Powers and roots --------------------------------------------------------------------------===//

// CHECK-LABEL: func.func @powers_become_products_and_roots
// CHECK-SAME:  (%[[X:.*]]: tensor<f32>)
// CHECK-DAG:     %[[S:.*]] = keratin.mul %[[X]], %[[X]]
// CHECK-DAG:     %[[A:.*]] = keratin.abs %[[X]]
// CHECK-DAG:     %[[R:.*]] = keratin.div %{{.*}}, %[[X]]
// CHECK:         return %[[S]], %[[A]], %[[R]]
func.func @powers_become_products_and_roots(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %two = keratin.constant dense<2.0> : tensor<f32>
  %half = keratin.constant dense<0.5> : tensor<f32>
  %minus = keratin.constant dense<-1.0> : tensor<f32>
  %0 = keratin.pow %x, %two : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = keratin.pow %0, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = keratin.pow %x, %minus : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// pow(-inf, 0.5) is inf, its root NaN.
// CHECK-LABEL: func.func @power_of_what_may_be_negative_stays
// CHECK:         keratin.pow
func.func @power_of_what_may_be_negative_stays(%x: tensor<f32>) -> tensor<f32> {
  %half = keratin.constant dense<0.5> : tensor<f32>
  %0 = keratin.pow %x, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The gradient of pow(x, -1) is 0 where the incoming one is, at x = 0 too; that of 1 / x is not.
// CHECK-LABEL: func.func @power_waits_for_its_gradient
// CHECK:         keratin.pow
func.func @power_waits_for_its_gradient(%x: tensor<f32>) -> tensor<f32> {
  %minus = keratin.constant dense<-1.0> : tensor<f32>
  %0 = keratin.pow %x, %minus : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = keratin.gradients %0 wrt %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: func.func @division_by_root_is_on_the_small_shape
// CHECK-SAME:  (%[[X:.*]]: tensor<2x4xf32>, %[[V:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[R:.*]] = keratin.rsqrt %[[V]]
// CHECK-NEXT:    %[[B:.*]] = keratin.broadcast %[[R]] dims = [1]
// CHECK-NEXT:    %[[Y:.*]] = keratin.mul %[[X]], %[[B]]
// CHECK-NEXT:    return %[[Y]]
func.func @division_by_root_is_on_the_small_shape(%x: tensor<2x4xf32>, %v: tensor<4xf32>) -> tensor<2x4xf32> {
  %s = keratin.sqrt %v : (tensor<4xf32>) -> tensor<4xf32>
  %b = keratin.broadcast %s dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %y = keratin.div %x, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

//===-- Gradients ---------------------------------------------------------------------------------===//

// The user asks for d log(p) / dp: p stays.
// CHECK-LABEL: func.func @value_that_gradients_are_taken_of_is_not_bypassed
// CHECK:         %[[P:.*]] = keratin.logistic
// CHECK:         %[[L:.*]] = keratin.log %[[P]]
// CHECK:         keratin.gradients %[[L]] wrt %[[P]]
func.func @value_that_gradients_are_taken_of_is_not_bypassed(%x: tensor<f32>) -> tensor<f32> {
  %p = keratin.logistic %x : (tensor<f32>) -> tensor<f32>
  %l = keratin.log %p : (tensor<f32>) -> tensor<f32>
  %g = keratin.gradients %l wrt %p : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %g : tensor<f32>
}
