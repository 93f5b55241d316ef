// What the frontend refuses, and what it says: every message once.
#include "FrontendTest.h"

#include <limits>

using keratin::AssertionError;
using keratin::MemoryError;
using keratin::NotImplementedError;
using keratin::RuntimeError;
using keratin::Shape;
using keratin::Size;
using keratin::Slice;
using keratin::TypeError;
using keratin::ValueError;

// The call throws this kind of error, and the message has the text.
template <typename Kind, typename Callable>
static void refuses(const char *text, Callable &&callable) {
  std::string message = errorOf<Kind>(callable);
  INFO(message);
  CHECK(message.find(text) != std::string::npos);
}

static Tensor fed(const Shape &shape, DType dtype = DType::Float32) {
  return K::placeholder(shape, None, dtype);
}

TEST_CASE("Messages about arguments of any function", "[message]") {
  Tensor x = fed({2, 3});
  refuses<ValueError>("an argument is None; needed a tensor, a number or an array",
                      [&] { K::sqrt(None); });
  refuses<ValueError>("an argument is an empty Tensor", [&] { K::sqrt(Tensor()); });
  refuses<ValueError>("is outside the rank; needed", [&] { K::sum(x, 2); });
  refuses<ValueError>("an empty Tensor stands for no value", [&] { (void)Tensor().shape(); });
  refuses<TypeError>("setTrainable: the tensor is not a variable", [&] { x.setTrainable(true); });
  refuses<ValueError>("; needed sizes that are equal or 1, aligned at the right",
                      [&] { x + fed({4}); });
  refuses<TypeError>("needed bool or integers; found", [&] { x & x; });
  refuses<TypeError>("needed bool or integers; found", [&] { ~x; });
}

TEST_CASE("Messages about sizes", "[message]") {
  Tensor x = fed({2, 3}), n = fed(Shape(std::vector<Size>{}), DType::Int32);
  int64_t huge = int64_t(1) << 40;
  refuses<ValueError>("the result has rank", [&] {
    Tensor y = fed(std::vector<Size>(32, Size(1)));
    K::expand_dims(y);
  });
  refuses<ValueError>("does not fit 64 bits of bytes",
                      [&] { fed({huge, 1}) + fed({1, int64_t(1) << 21}); });
  refuses<ValueError>(
      "zeros: the result's shape (1099511627776, 1099511627776) does not fit 64 bits "
      "of bytes; at ",
      [&] { K::zeros({huge, huge}); });
  refuses<MemoryError>(
      "ones: no memory for a variable of dtype float32 and shape (1099511627776, 4096); at ",
      [&] { K::ones({huge, 4096}); });
  refuses<ValueError>("repeat: n must be a number or an integer scalar; found a tensor of dtype "
                      "int32 and shape (2, 3); at ",
                      [&] { K::repeat(x, K::cast(x, DType::Int32)); });
  // Floats, and bools, whatever the function and the place.
  Tensor f = K::sum(x), b = K::any(x);
  const char *const entry = "must be a number or an integer scalar; found a tensor of dtype";
  refuses<ValueError>(
      "zeros: entry 1 of shape must be a number or an integer scalar; found a tensor of dtype "
      "float32 and shape ()",
      [&] { K::zeros({2, f}); });
  refuses<ValueError>(entry, [&] { K::ones({b, 2}); });
  refuses<ValueError>("tile: entry 0 of n must be", [&] { K::tile(x, {f, 1}); });
  refuses<ValueError>("repeat: n must be", [&] { K::repeat(x, f); });
  refuses<ValueError>("reshape: entry 1 of shape must be", [&] { K::reshape(x, {-1, f}); });
  refuses<ValueError>("slice: entry 0 of start must be", [&] { K::slice(x, {f, 0}, {1, 1}); });
  refuses<ValueError>("slice: entry 1 of size must be", [&] { K::slice(x, {0, 0}, {1, f}); });
  refuses<ValueError>("eye: entry 0 of size must be", [&] { K::eye({f, 2}); });
  refuses<ValueError>("dropout: entry 1 of noise_shape must be",
                      [&] { K::dropout(x, 0.5, {None, f}); });
  refuses<ValueError>("random_normal: entry 0 of shape must be", [&] { K::random_normal({f}); });
  refuses<ValueError>("conv2d_transpose: entry 1 of output_shape must be", [&] {
    K::conv2d_transpose(fed({2, 3, 3, 4}), fed({3, 3, 2, 4}), {None, f, 5, 2});
  });
  refuses<ValueError>("while_loop: maximum_iterations must be", [&] {
    K::while_loop([](const Tensor &t) { return t > 0.0; }, [](const Tensor &t) { return t; }, {f},
                  f);
  });
  refuses<ValueError>("getitem: the start of a slice must be a number or an integer scalar; found "
                      "dtype float32 and shape ()",
                      [&] { x[Slice(f)]; });
  refuses<ValueError>("the step of a slice must be", [&] { x[Slice(None, None, x)]; });
  refuses<ValueError>("zeros: shape must be a list of sizes or an integer vector; found a tensor "
                      "of dtype float32 and shape (3,)",
                      [&] { K::zeros(Shape(K::sum(x, 0))); });
  refuses<ValueError>("zeros: shape must be a list of sizes or an integer vector; found a tensor "
                      "of dtype float32 and shape ()",
                      [&] { K::zeros(Shape(f)); });
  refuses<ValueError>("n is None; needed a number or an integer scalar",
                      [&] { K::repeat(x, None); });
  refuses<ValueError>("zeros: entry 0 of shape is None", [&] { K::zeros({None}); });
  refuses<ValueError>("slice: start is None; needed a list of numbers",
                      [&] { K::slice(x, None, {1, 1}); });
  refuses<ValueError>("slice: entry 0 of size is None", [&] { K::slice(x, {0, 0}, {None, 1}); });
  refuses<ValueError>("reshape: shape must be a list of sizes or an integer vector; found a tensor",
                      [&] { K::reshape(x, Shape(x)); });
  refuses<ValueError>("reshape: shape must have a known number of entries, at most 64; found a "
                      "tensor of shape (None,)",
                      [&] { K::reshape(x, Shape(fed({None}, DType::Int32))); });
}

TEST_CASE("Messages about sizes from data", "[message]") {
  Tensor x = fed({2, 3}), data = K::cast(K::sum(x), DType::Int32);
  const char *const unknown = "not implemented: a size computed from data, without a known bound, "
                              "for";
  refuses<NotImplementedError>(
      "repeat: not implemented: a size computed from data, without a known bound, for n; needed "
      "one that is limited, as by K::minimum(size, 1000); at ",
      [&] { K::repeat(x, data); });
  refuses<NotImplementedError>(unknown, [&] { K::zeros({data, 2}); });
  refuses<NotImplementedError>(unknown, [&] { K::tile(x, {data, 2}); });
  refuses<NotImplementedError>(unknown, [&] { K::zeros(Shape(fed({2}, DType::Int32))); });
  refuses<NotImplementedError>(
      "arange: not implemented: a size computed from data, without a known bound, for the range; "
      "needed start, stop and step that are limited, as by K::clip(stop, 0, 1000); at ",
      [&] { K::arange(data); });
  refuses<NotImplementedError>("a size computed from data in the function of map_fn", [&] {
    K::map_fn([&](const Tensor &row) { return K::zeros({K::cast(K::sum(row), "uint8")}); }, x);
  });
}

TEST_CASE("Messages about making tensors", "[message]") {
  Tensor n = fed(Shape(std::vector<Size>{}), DType::Int32);
  refuses<ValueError>("cannot give a value of shape",
                      [&] { K::constant(std::vector<float>{1, 2, 3}, None, {2, 2}); });
  refuses<ValueError>("a sparse tensor of rank", [&] { K::placeholder({2}, None, None, true); });
  refuses<ValueError>("neither shape nor ndim is given; needed one of them",
                      [&] { K::placeholder(); });
  refuses<ValueError>("the shape must be a list of numbers, names and None",
                      [&] { K::placeholder(None, -1); });
  refuses<ValueError>("the shape must hold None, names and sizes of 0 or more",
                      [&] { K::placeholder({-1}); });
  refuses<ValueError>("is above", [&] { fed(std::vector<Size>(33, Size(1))); });
  refuses<ValueError>("size must be one number or a pair (rows, columns)",
                      [&] { K::eye({1, 2, 3}); });
  refuses<ValueError>("step is 0", [&] { K::arange(0, 5, 0); });
  refuses<ValueError>("the range is too long or not finite",
                      [&] { K::arange(0, std::numeric_limits<double>::infinity()); });
  refuses<ValueError>("start, stop and step must be numbers or scalars; found shape (2,)",
                      [&] { K::arange(fed({2})); });
  refuses<ValueError>("the value is None; needed a number, an array or a tensor",
                      [&] { K::variable(None); });
  refuses<TypeError>("a bool variable cannot be added to", [&] {
    Tensor v = K::variable(true, DType::Bool);
    K::update_add(v, true);
  });
  refuses<TypeError>("the first argument must be a variable; found",
                     [&] { K::update(fed({2}), 1.0); });
}

TEST_CASE("Messages about settings", "[message]") {
  refuses<ValueError>("'; needed float16, float32 or float64", [&] { K::set_floatx("int8"); });
  refuses<ValueError>("set_image_data_format: unknown data_format '",
                      [&] { K::set_image_data_format("last"); });
  refuses<ValueError>("normalize_data_format: unknown data_format '",
                      [&] { K::normalize_data_format("first"); });
  refuses<ValueError>("set_learning_phase: needed 0 or 1; found",
                      [&] { K::set_learning_phase(2); });
  refuses<TypeError>("'; needed float16, bfloat16, float32, float64, int8 to int64, uint8 to "
                     "uint64, complex64, complex128 or bool",
                     [&] { K::zeros({2}, "float33"); });
}

TEST_CASE("Messages about elements", "[message]") {
  Tensor x = fed({2, 3}), i = fed({2}, DType::Int32), b = fed({2}, DType::Bool);
  refuses<ValueError>("x is a scalar; needed at least one axis", [&] { K::softmax(K::sum(x)); });
  refuses<ValueError>("target and output have shapes",
                      [&] { K::binary_crossentropy(fed({1, 2, 3}), x); });
  refuses<ValueError>("; needed -1 or 0 to", [&] { K::categorical_crossentropy(x, x, false, 5); });
  refuses<TypeError>("target is bool; needed class numbers",
                     [&] { K::sparse_categorical_crossentropy(b, x); });
  refuses<ValueError>("an integer to a negative power; found exponent", [&] { K::pow(i, -1); });
  refuses<ValueError>("must not have more elements than x; found shapes",
                      [&] { K::clip(fed({3}), x, 1.0); });
  refuses<TypeError>("bool cannot be clipped; needed numbers", [&] { K::clip(b, 0, 1); });
}

TEST_CASE("Messages about functions", "[message]") {
  Tensor x = fed({2, 3}), v = K::variable(std::vector<float>{1, 2});
  keratin::Function f = K::function({x}, {K::square(x)});
  refuses<ValueError>("values; needed one for each of", [&] { f({}); });
  refuses<ValueError>(": the value for '", [&] { f({Array(1.0f)}); });
  refuses<ValueError>(") is None; needed an array", [&] { f({Array()}); });
  refuses<ValueError>("Function::operator(): the Function is empty",
                      [&] { keratin::Function()({}); });
  refuses<ValueError>("' is listed twice", [&] { K::function({x, x}, {x}); });
  refuses<ValueError>("' is needed but not fed; needed it among the inputs",
                      [&] { K::function({}, {K::square(x)}); });
  refuses<ValueError>(": the value is None", [&] { K::set_value(v, Array()); });
  refuses<ValueError>("; needed the shape (2,) of variable '",
                      [&] { K::set_value(v, std::vector<float>{1, 2, 3}); });
  refuses<TypeError>("is not a variable", [&] { K::set_value(x, Array(1.0f)); });
  refuses<ValueError>("is_keras_tensor: needed a tensor; found a number or an array",
                      [&] { K::is_keras_tensor(1); });
  refuses<ValueError>("int_shape: needed a tensor or an array", [&] { K::int_shape(None); });
  refuses<ValueError>("dtype: needed a tensor or an array", [&] { K::dtype(None); });
  refuses<ValueError>("count_params: needed known sizes; found shape",
                      [&] { K::count_params(fed({None, 2})); });
  refuses<ValueError>(", which is not fed; needed the placeholder among the inputs; at ",
                      [&] { K::function({}, {K::zeros(Shape(K::shape(fed({None, 2}))))}); });
}

TEST_CASE("Messages about indices", "[message]") {
  using keratin::All;
  using keratin::Ellipsis;
  Tensor x = fed({2, 3});
  refuses<ValueError>("the key has more than one Ellipsis", [&] { x[{Ellipsis, Ellipsis}]; });
  refuses<ValueError>("items; needed at most", [&] { x[{0, 0, 0}]; });
  refuses<ValueError>("is outside axis", [&] { x[{0, 3}]; });
  refuses<ValueError>("an index must be a number or an integer scalar; found dtype",
                      [&] { x[{All, fed({2}, DType::Int32)}]; });
  refuses<ValueError>("the step of a slice is 0", [&] { x[Slice(None, None, 0)]; });
  refuses<ValueError>("the step of a slice does not fit",
                      [&] { x[Slice(None, None, std::numeric_limits<int64_t>::min())]; });
  refuses<TypeError>("needed an integer tensor as the key, and at least one axis",
                     [&] { x[fed({2})]; });
}

TEST_CASE("Messages about products and gathers", "[message]") {
  Tensor x = fed({2, 3});
  refuses<ValueError>("the last size of x and the second-to-last of y differ; found shapes",
                      [&] { K::dot(x, x); });
  refuses<ValueError>("x and y have ranks", [&] { K::batch_dot(fed({2}), x); });
  refuses<ValueError>("entries; needed one axis or a pair", [&] { K::batch_dot(x, x, {1, 1, 1}); });
  refuses<ValueError>("axis 0 is the batch and cannot be summed over; found axes (",
                      [&] { K::batch_dot(x, x, {0, 1}); });
  refuses<ValueError>("reference is a scalar; needed at least one axis",
                      [&] { K::gather(K::sum(x), 0); });
  refuses<TypeError>("indices have dtype", [&] { K::gather(x, x); });
  refuses<TypeError>("indices have dtype", [&] { K::one_hot(x, 3); });
}

TEST_CASE("Messages about derivatives", "[message]") {
  Tensor x = fed({2, 3}), whole = fed({2}, DType::Int32);
  refuses<ValueError>("jvp: inputs has 2 and tangents 1; needed one for each; at ",
                      [&] { K::jvp(x, {x, x}, x); });
  refuses<ValueError>("jvp: outputs[1] is int32, which has no derivative; needed floats; at ",
                      [&] { K::jvp({x, whole}, x, x); });
  refuses<ValueError>("jvp: inputs[0] is int32, which has no derivative; needed floats; at ",
                      [&] { K::jvp(x, whole, whole); });
  refuses<ValueError>("jvp: tangents[0] is float64; needed float32, as inputs[0] is; at ",
                      [&] { K::jvp(x, x, K::cast(x, "float64")); });
  refuses<ValueError>(
      "jvp: inputs[0] and tangents[0] must have equal shapes; found (2, 3) and (3,)",
      [&] { K::jvp(x, x, fed({3})); });
  Tensor sparse = K::placeholder({2, 3}, {.sparse = true});
  refuses<ValueError>("jvp: an argument is the sparse tensor", [&] { K::jvp(x, sparse, x); });
  refuses<ValueError>(
      "vector_jacobian_product: outputs has 1 and cotangents 2; needed one for each",
      [&] { K::vector_jacobian_product(x, x, {x, x}); });
  refuses<ValueError>(
      "hessian_vector_product: loss is int32, which has no derivative; needed floats",
      [&] { K::hessian_vector_product(whole, x, x); });
  Tensor unknown = fed({None});
  refuses<ValueError>("sparse_jacobian: output has shape (None,); needed known sizes, since the "
                      "structure is found when the graph is built; at ",
                      [&] { K::sparse_jacobian(unknown, x); });
  refuses<ValueError>("sparse_jacobian: a size between the two depends on the call; needed known "
                      "sizes, since the structure is found when the graph is built; at ",
                      [&] { K::sparse_jacobian(K::sum(unknown * K::sum(x)), x); });
  refuses<ValueError>("sparse_jacobian: input has 4294967296 elements; needed at most 2147483647",
                      [&] { K::sparse_jacobian(x, fed({1 << 16, 1 << 16})); });
  refuses<RuntimeError>(
      "sparse_jacobian: a value between the two has 1610612736 elements; needed at most 268435456",
      [&] { K::sparse_jacobian(K::sum(K::tile(x, {1 << 14, 1 << 14}), 0), x); });
  Tensor wide = fed({1 << 15});
  refuses<RuntimeError>(
      "sparse_jacobian: the structure has 1073741824 entries; needed at most 268435456",
      [&] { K::sparse_jacobian(wide * K::sum(wide), wide); });
  refuses<ValueError>("sparse_parts: unknown format 'csc'; needed coo or csr",
                      [&] { K::sparse_parts(sparse, "csc"); });
  refuses<ValueError>(" is dense; needed a sparse one", [&] { K::sparse_parts(x); });
  refuses<NotImplementedError>(
      "sparse_parts: not implemented: csr of a tensor whose places are "
      "not known, row by row, when the graph is built; needed format 'coo'",
      [&] { K::sparse_parts(sparse, "csr"); });
}

TEST_CASE("Messages about layers", "[message]") {
  Tensor x = fed({2, 3}), i = fed({2}, DType::Int32);
  refuses<ValueError>("entries; needed the rank of x,", [&] { K::dropout(x, 0.5, {1}); });
  refuses<ValueError>("; needed at least 0 and below 1", [&] { K::dropout(x, 1.0); });
  refuses<ValueError>("; needed one that broadcasts to",
                      [&] { K::dropout(fed({2, 1}), 0.5, {2, 3}); });
  refuses<ValueError>("predictions and targets have ranks", [&] { K::in_top_k(x, x, 1); });
  refuses<TypeError>("targets have dtype", [&] { K::in_top_k(x, fed({2}), 1); });
  refuses<ValueError>("eye: a matrix of 4611686018427387904 rows and 3 columns is too large",
                      [&] { K::eye({int64_t(1) << 62, 3}); });
  refuses<ValueError>("in_test_phase: training is no number and no tensor",
                      [&] { K::in_test_phase(x, x, Array{{1.0, 0.0}}); });
  refuses<ValueError>("rnn: input_length is 2.5; needed a whole number, 0 or more", [&] {
    K::rnn([](const Tensor &step,
              const std::vector<Tensor> &states) { return K::RnnStepResult{step, states}; },
           fed({2, None, 3}), fed({2, 3}), {.unroll = true, .input_length = 2.5});
  });
  refuses<ValueError>("batch_normalization: mean is None; needed a tensor",
                      [&] { K::batch_normalization(x, None, x, None, None); });
  refuses<ValueError>("x has rank 0; needed 1 or more", [&] { K::bias_add(fed({}), fed({2})); });
  refuses<ValueError>("bias has rank", [&] { K::bias_add(x, fed({2, 3, 4})); });
  refuses<ValueError>(", which does not fit x of shape",
                      [&] { K::bias_add(fed({2, 1}), fed({4})); });
  refuses<TypeError>("x is bool; needed numbers",
                     [&] { K::bias_add(fed({2, 3}, DType::Bool), fed({3}, DType::Bool)); });
  Tensor p = fed({3});
  refuses<ValueError>("elements for x of shape",
                      [&] { K::batch_normalization(x, fed({4}), p, p, p); });
  refuses<ValueError>(", which does not fit x of shape", [&] {
    K::batch_normalization(fed({2, 1}), fed({2, 3}), fed({1}), fed({1}), fed({1}));
  });
  refuses<ValueError>("; needed at most the rank of the then-expression,",
                      [&] { K::switch_(fed({2, 3}, DType::Bool), fed({2}), fed({2})); });
  Tensor condition = fed(Shape(std::vector<Size>{}), DType::Bool);
  refuses<ValueError>("; needed equal ranks, or a scalar in one of them",
                      [&] { K::switch_(condition, x, fed({3})); });
}

TEST_CASE("Messages about random numbers", "[message]") {
  refuses<TypeError>("; needed a floating one",
                     [&] { K::random_normal({2}, 0.0, 1.0, DType::Int32); });
  refuses<ValueError>("maxval must be above minval; found",
                      [&] { K::random_uniform({2}, 3, 3, DType::Int32); });
  refuses<TypeError>("dtype is bool; needed a real number",
                     [&] { K::random_uniform({2}, 0, 1, DType::Bool); });
  refuses<TypeError>("random_binomial: dtype is complex64; needed a real number",
                     [&] { K::random_binomial({2}, 0.5, DType::Complex64); });
  refuses<TypeError>("random_poisson: dtype is complex64; needed a real number",
                     [&] { K::random_poisson({2}, 0.5, DType::Complex64); });
}

TEST_CASE("Messages about shapes", "[message]") {
  Tensor x = fed({2, 3}), scalar = K::sum(x);
  refuses<AssertionError>("entries; needed a pair for each of",
                          [&] { K::spatial_2d_padding(fed({1, 2, 3, 4}), {{1, 1}}); });
  refuses<AssertionError>("an entry of padding has",
                          [&] { K::spatial_2d_padding(fed({1, 2, 3, 4}), {{1, 1}, {1}}); });
  refuses<ValueError>("x has rank", [&] { K::spatial_2d_padding(x); });
  refuses<AssertionError>("numbers; needed 2", [&] { K::temporal_padding(x, {1}); });
  refuses<ValueError>("; needed 0 or more", [&] { K::repeat_elements(x, -1, 0); });
  refuses<ValueError>("; needed 0 or more", [&] { K::one_hot(fed({2}, DType::Int32), -1); });
  refuses<NotImplementedError>("tile with more entries than the rank; found",
                               [&] { K::tile(x, {1, 2, 3}); });
  refuses<ValueError>("the list is empty; needed at least one tensor", [&] { K::concatenate({}); });
  refuses<ValueError>("ranks differ; found shapes", [&] { K::concatenate({x, fed({2})}); });
  refuses<ValueError>("must be equal; found", [&] { K::concatenate({x, fed({3, 4})}, 0); });
  refuses<ValueError>("shapes differ; found", [&] { K::stack({x, fed({2})}); });
  refuses<ValueError>("the shape has more than one -1", [&] { K::reshape(x, {-1, -1}); });
  refuses<ValueError>("reshape: shape is None; needed a list of sizes",
                      [&] { K::reshape(x, None); });
  refuses<ValueError>("cannot give shape", [&] { K::reshape(x, {4, 2}); });
  refuses<ValueError>("is no permutation; needed one of the",
                      [&] { K::permute_dimensions(x, {0, 0}); });
  refuses<ValueError>("x is a scalar; needed a batch axis", [&] { K::batch_flatten(scalar); });
  refuses<ValueError>("; needed 1", [&] { K::squeeze(x, 0); });
  refuses<ValueError>("broadcastable has", [&] { K::pattern_broadcast(x, {true}); });
}

TEST_CASE("Messages about arrays", "[message]") {
  int64_t huge = int64_t(1) << 40;
  refuses<ValueError>("is negative or too large",
                      [&] { Array::empty(DType::Float32, {huge, huge}); });
  refuses<ValueError>("Array: shape", [&] { Array::empty(DType::Int8, {-1}); });
  refuses<MemoryError>("Array: no memory for shape",
                       [&] { Array::empty(DType::Int8, {int64_t(1) << 60}); });
  refuses<ValueError>("Array: None cannot be an element", [&] { Array{Array(1), Array()}; });
  refuses<ValueError>("Array: rows have shapes", [&] { Array{Array{1, 2}, Array{1, 2, 3}}; });
  refuses<ValueError>("Array: cannot give", [&] { Array{1, 2}.reshape({3}); });
  refuses<TypeError>("Array: elements are", [&] { (void)Array(1.0f).data<int8_t>(); });
  refuses<ValueError>("values for shape", [&] { Array(std::vector<float>{1, 2}, {3}); });
  refuses<ValueError>("Array: item() needs exactly one element; found",
                      [&] { (void)Array{1, 2}.item(); });
  refuses<ValueError>("Array: index", [&] { (void)Array{1, 2}.item(2); });
}

TEST_CASE("Messages about windows", "[message]") {
  Tensor x = fed({2, 5, 5, 3}), kernel = fed({3, 3, 3, 4}), line = fed({2, 5, 3});
  refuses<ValueError>("conv2d: unknown data_format 'nhwc'; needed channels_last or channels_first",
                      [&] { K::conv2d(x, kernel, 1, "valid", "nhwc"); });
  refuses<ValueError>("conv2d: unknown padding 'causal'; needed valid or same",
                      [&] { K::conv2d(x, kernel, 1, "causal"); });
  refuses<ValueError>("conv1d: unknown padding 'full'; needed valid, same or causal",
                      [&] { K::conv1d(line, fed({3, 3, 4}), 1, "full"); });
  refuses<ValueError>("causal padding with data_format channels_first; needed channels_last",
                      [&] { K::conv1d(line, fed({3, 5, 4}), 1, "causal", "channels_first"); });
  refuses<ValueError>("strides must be numbers, one for each of 2 spatial axes",
                      [&] { K::conv2d(x, kernel, {1, None}); });
  refuses<ValueError>("strides (1, 2, 3) has 3 entries; needed one for each of 2 spatial axes",
                      [&] { K::conv2d(x, kernel, {1, 2, 3}); });
  refuses<ValueError>("dilation_rate (1, 0) has an entry outside 1 to 2147483647",
                      [&] { K::conv2d(x, kernel, 1, "valid", None, {1, 0}); });
  refuses<ValueError>("conv2d: x has shape (2, 5, 3); needed rank 4",
                      [&] { K::conv2d(line, kernel); });
  refuses<ValueError>("kernel has shape (3, 3, 4); needed rank 4",
                      [&] { K::conv2d(x, fed({3, 3, 4})); });
  refuses<ValueError>("x has 3 channels; needed the 2 of the kernel, whose shape is (3, 3, 2, 4)",
                      [&] { K::conv2d(x, fed({3, 3, 2, 4})); });
  refuses<ValueError>("conv2d: axis 1 of x has size 5; needed at least 7, which the window covers",
                      [&] { K::conv2d(x, kernel, 1, "valid", "channels_last", {3, 1}); });
  refuses<ValueError>("pool2d: axis 3 of x has size 3; needed at least 4, which the window covers",
                      [&] { K::pool2d(x, {1, 4}, 1, "valid", "channels_first"); });
  Tensor open = fed({None, None, 5, 3});
  refuses<ValueError>("axis 1 of x must have the size that the window covers", [&] {
    K::function({open}, {K::conv2d(open, K::constant(1.0, "float32", {3, 3, 3, 4}))})(
        {Array::zeros(DType::Float32, {1, 2, 5, 3})});
  });
  refuses<ValueError>("pool2d: unknown pool_mode 'sum'; needed max or avg",
                      [&] { K::pool2d(x, {2, 2}, 1, "valid", None, "sum"); });
  refuses<ValueError>("unknown interpolation 'cubic'; needed nearest or bilinear",
                      [&] { K::resize_images(x, 2, 2, "channels_last", "cubic"); });
  refuses<ValueError>("resize_images: unknown data_format 'None'; needed channels_last",
                      [&] { K::resize_images(x, 2, 2, None); });
  refuses<ValueError>("resize_images: a factor is 0; needed 1 or more",
                      [&] { K::resize_images(x, 0, 2, "channels_last"); });
}

TEST_CASE("Messages about transposed and unshared convolutions", "[message]") {
  Tensor x = fed({2, 3, 3, 4}), kernel = fed({3, 3, 2, 4});
  refuses<ValueError>("output_shape is None; needed a list of sizes",
                      [&] { K::conv2d_transpose(x, kernel, None); });
  refuses<ValueError>("entry 1 of output_shape is None; only the batch may be",
                      [&] { K::conv2d_transpose(x, kernel, {None, None, 5, 2}); });
  refuses<ValueError>("output_shape has 3 entries; needed 4",
                      [&] { K::conv2d_transpose(x, kernel, {None, 5, 5}); });
  refuses<ValueError>("an entry of output_shape must not be negative",
                      [&] { K::conv2d_transpose(x, kernel, {2, -1, 5, 2}); });
  refuses<ValueError>(
      "output_shape has 3 channels; needed the 2 of the kernel, whose shape is (3, 3, 2, 4)",
      [&] { K::conv2d_transpose(x, kernel, {2, 5, 5, 3}); });
  refuses<ValueError>(
      "axis 1 of x has size 3, but output_shape (2, 6, 5, 2) (channels last) would come from 4",
      [&] { K::conv2d_transpose(x, kernel, {2, 6, 5, 2}); });
  refuses<ValueError>("the batch sizes of output_shape and x must be equal; found 3 and 2",
                      [&] { K::conv2d_transpose(x, kernel, {3, 5, 5, 2}); });
  Tensor open = fed({None, None, None, 4});
  refuses<ValueError>("axis 1 of x and what output_shape would come from", [&] {
    K::function({open}, {K::conv2d_transpose(open, K::constant(1.0, "float32", {3, 3, 2, 4}),
                                             {None, 5, 5, 2})})(
        {Array::zeros(DType::Float32, {1, 4, 3, 4})});
  });
  refuses<ValueError>("kernel has shape (3, 3, 2, 4); needed rank 3",
                      [&] { K::local_conv2d(x, kernel, {2, 2}, 1, {2, 2}); });
  refuses<ValueError>("kernel has shape (4, 15, 2); needed 4 places and 16 elements a window",
                      [&] { K::local_conv2d(x, fed({4, 15, 2}), {2, 2}, 1, {2, 2}); });
  refuses<ValueError>("output_shape has 1 entries; needed rows and columns",
                      [&] { K::local_conv2d(x, fed({4, 16, 2}), {2, 2}, 1, {2}); });
  refuses<ValueError>("axis 1 of inputs must have the size that the windows cover", [&] {
    K::local_conv2d(x, fed({6, 16, 2}), {2, 2}, 1, {3, 2}, "channels_last");
  });
}
