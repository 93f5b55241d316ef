// What layers compute, against numpy_values.py.
#include "tests/layers/LayersTest.h"

constexpr double tolerance = 1e-8; // of the numbers as they are printed

TEST_CASE("Dense and Embedding", "[layers]") {
  const Doubles doubles;
  layers::Dense dense(
      3, 2, {.activation = "relu", .kernel_initializer = waves(1), .bias_initializer = waves(2)});
  checkValue(dense(K::constant(wave(0, {2, 3}))),
             Array(std::vector<double>{0.7414875614, 0, 2.07656471, 1.640224432}, {2, 2}),
             tolerance);
  // Whatever axes stand before the last.
  checkValue(K::reshape(dense(K::constant(wave(0, {2, 1, 3}))), {2, 2}),
             Array(std::vector<double>{0.7414875614, 0, 2.07656471, 1.640224432}, {2, 2}),
             tolerance);
  layers::Embedding embedding(4, 3, {.embeddings_initializer = waves(1)});
  checkValue(embedding(K::constant(Array{{2, 0}, {3, 3}}, "int32")),
             Array(std::vector<double>{-0.8834546557, -0.3738766648, 0.3115413635, 0.8414709848,
                                       0.9916648105, 0.6754631806, 0.8504366206, 0.9893582466,
                                       0.6629692301, 0.8504366206, 0.9893582466, 0.6629692301},
                   {2, 2, 3}),
             tolerance);
}

TEST_CASE("convolutions", "[layers]") {
  const Doubles doubles;
  layers::ConvOptions options{.kernel_initializer = waves(1), .bias_initializer = waves(2)};
  Tensor image = K::constant(wave(0, {1, 4, 3, 2}));
  layers::ConvOptions strided = options;
  strided.strides = 2;
  checkValue(
      layers::Conv1D(2, 2, 3, strided)(K::constant(wave(0, {1, 6, 2}))),
      Array(std::vector<double>{-0.2638063865, -0.7795460472, 2.175441231, 1.438592548}, {1, 2, 2}),
      tolerance);
  checkValue(layers::Conv2D(2, 1, {2, 2}, options)(image),
             Array(std::vector<double>{4.294739921, 2.226163964, -1.406226154, 3.059965981,
                                       -0.2057240821, -2.516346173},
                   {1, 3, 2, 1}),
             tolerance);
  checkValue(layers::Conv3D(1, 1, 2, options)(K::constant(wave(0, {1, 3, 2, 2, 1}))),
             Array(std::vector<double>{3.524923071, -0.3663090547}, {1, 2, 1, 1, 1}), tolerance);
  checkValue(layers::DepthwiseConv2D(2, 1, 2, options)(image),
             Array(std::vector<double>{2.6659084, 2.056211401, 1.770624547, 0.8829192965,
                                       -0.4496310603, -0.5292152134, 1.911167396, 1.576178465,
                                       0.4851452462, -0.2634894481, -0.9343848811, -1.154581412},
                   {1, 3, 2, 2}),
             tolerance);
  options.kernel_initializer = [](const std::vector<int64_t> &shape) {
    return wave(shape[0] == 2 ? 1 : 3, shape);
  };
  checkValue(layers::SeparableConv2D(2, 1, 2, options)(image),
             Array(std::vector<double>{0.2941765742, 0.7894866706, 1.224364081, 0.442006316,
                                       1.215488606, 1.487297231},
                   {1, 3, 2, 1}),
             tolerance);

  // Channels first.
  options = {.data_format = "channels_first",
             .kernel_initializer = waves(1),
             .bias_initializer = waves(2)};
  Tensor turned = layers::Conv2D(2, 1, 2, options)(K::permute_dimensions(image, {0, 3, 1, 2}));
  checkValue(K::permute_dimensions(turned, {0, 2, 3, 1}),
             Array(std::vector<double>{4.294739921, 2.226163964, -1.406226154, 3.059965981,
                                       -0.2057240821, -2.516346173},
                   {1, 3, 2, 1}),
             tolerance);
}

TEST_CASE("LayerNorm", "[layers]") {
  const Doubles doubles;
  layers::LayerNorm norm(4);
  K::batch_set_value({{norm.variables()[0], wave(1, {4})}, {norm.variables()[1], wave(2, {4})}});
  checkValue(norm(K::constant(wave(0, {2, 4}))),
             Array(std::vector<double>{-0.4659452508, 0.4819873896, 0.3860910392, -0.7921082855,
                                       2.202772294, 0.649014718, -0.7784379588, -0.859297521},
                   {2, 4}),
             tolerance);
}

TEST_CASE("BatchNorm follows the statistics of batches", "[layers]") {
  const Doubles doubles;
  Tensor x = K::placeholder({None, None, 2});
  const Array batch = wave(0, {2, 3, 2});
  const Array trained =
      Array(std::vector<double>{-0.1192079372, 0.6331881044, 1.365973707, 0.94291872, 0.3856562243,
                                -0.7740902303, -1.432768943, -1.667491057, -1.070596521,
                                -0.2541796789, 0.8709434701, 1.119654142},
            {2, 3, 2});
  const Array tested =
      Array(std::vector<double>{-0.008136940902, 0.6404898655, 1.005624018, 0.8650653646,
                                0.3364751666, -0.379881446, -0.9047524291, -1.02765705,
                                -0.657539394, -0.00291137679, 0.6677243882, 0.9932104159},
            {2, 3, 2});
  const Array mean = Array(std::vector<double>{0.007909701143, 0.01965288913}, {2});
  const Array variance = Array(std::vector<double>{0.9439260582, 0.9498904397}, {2});
  SECTION("by a number") {
    layers::BatchNorm norm(2, {.momentum = 0.9});
    CHECK(norm.trainable().size() == 2);
    CHECK(norm.variables()[2].name() == "batch_norm/moving_mean:0");
    K::Function test = K::function(x, norm(x, false));
    CHECK(norm.updates().empty());
    K::Function train = K::function(x, norm(x, true), norm.updates());
    checkArray(train({batch})[0], trained, tolerance);
    checkArray(K::get_value(norm.variables()[2]), mean, tolerance);
    checkArray(K::get_value(norm.variables()[3]), variance, tolerance);
    checkArray(test({batch})[0], tested, tolerance);
  }
  SECTION("by the learning phase") {
    layers::BatchNorm norm(2, {.momentum = 0.9, .center = false, .scale = false});
    CHECK(norm.trainable().empty());
    Tensor y = norm(x);
    K::Function f = K::function({x, K::learning_phase().tensor()}, y, norm.updates());
    checkArray(f({batch, 1})[0], trained, tolerance);
    checkArray(f({batch, 0})[0], tested, tolerance);
    // A call that is not for training leaves them as they are.
    checkArray(K::get_value(norm.variables()[0]), mean, tolerance);
    checkArray(K::get_value(norm.variables()[1]), variance, tolerance);
  }
}

TEST_CASE("Dropout is for training", "[layers]") {
  const Doubles doubles;
  Tensor x = K::placeholder({None});
  layers::Dropout dropout(0.5, {.seed = 3});
  Tensor always = dropout(x, true);
  CHECK(K::is_same(dropout(x, false), x));
  K::Function f = K::function({x, K::learning_phase().tensor()},
                              {always, dropout(x), K::dropout(x, 0.5, None, 3)});
  Array ones = K::eval(K::ones(64));
  K::Results trained = f({ones, 1});
  checkArray(trained[0], trained[2]);
  CHECK(K::eval(K::sum(trained[0])).item() < 128);
  checkArray(f({ones, 0})[1], ones);
}

TEST_CASE("LSTM and GRU", "[layers]") {
  const Doubles doubles;
  Tensor x = K::constant(wave(0, {1, 3, 2}));
  layers::RecurrentOptions options{
      .kernel_initializer = waves(1), .recurrent_initializer = waves(2), .return_sequences = true};
  const Array lstm = Array(std::vector<double>{0.003046444656, -0.08615134121, -0.05226208831,
                                               -0.1821181367, -0.128456123, -0.2971618436},
                           {1, 3, 2});
  checkValue(layers::LSTM(2, 2, options)(x), lstm, tolerance);
  const Array gru = Array(std::vector<double>{0.3595758916, 0.22558931, 0.235085289, 0.01107618317,
                                              -0.01848852242, -0.1932626422},
                          {1, 3, 2});
  layers::GRU all(2, 2, options);
  checkValue(all(x), gru, tolerance);
  // Where the mask is 0 the state stays.
  Tensor mask = K::constant(Array{{1, 1, 0}}, "int32");
  checkValue(all.run(x, {.mask = mask}).states[0], gru[{K::All, 1}], tolerance);
  // The second half from the state of the first.
  layers::RecurrentResult first = all.run(x[{K::All, K::Slice(0, 2)}]);
  checkValue(all.run(x[{K::All, K::Slice(2, 3)}], {.initial_state = first.states}).last,
             gru[{K::All, 2}], tolerance);

  options.return_sequences = false;
  options.go_backwards = true;
  checkValue(layers::LSTM(2, 2, options)(x),
             Array(std::vector<double>{-0.09687750706, -0.2305524144}, {1, 2}), tolerance);
}

TEST_CASE("MultiHeadAttention", "[layers]") {
  const Doubles doubles;
  layers::MultiHeadAttention attention(4, 2, {.use_bias = false});
  std::vector<Tensor> kernels = attention.variables();
  REQUIRE(kernels.size() == 4);
  CHECK(kernels[0].name() == "multi_head_attention/query/kernel:0");
  for (size_t i = 0; i < 4; ++i)
    K::set_value(kernels[i], wave(double(i) + 1, {4, 4}));
  // With an unknown batch and length.
  Tensor x = K::placeholder({None, None, 4}), memory = K::placeholder({None, None, 4});
  Tensor mask = K::constant(Array{{1, 1, 0}}, "int32");
  Tensor square = K::constant(Array{{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}}, "int32");
  K::Function f = K::function(
      {x, memory}, {attention(x), attention(x, {.causal = true}), attention(x, {.mask = mask}),
                    attention(x, {.mask = square}), attention(x, {.value = memory})});
  K::Results results = f({wave(0, {1, 3, 4}), wave(5, {1, 2, 4})});
  checkArray(results[0],
             Array(std::vector<double>{0.0853294914, 0.1878429309, 0.2020109049, 0.1211699938,
                                       -0.03911006207, 0.01043325141, 0.05506964372, 0.07380592211,
                                       0.1385760115, 0.2642616057, 0.2656608376, 0.1421156264},
                   {1, 3, 4}),
             tolerance);
  checkArray(results[1],
             Array(std::vector<double>{0.1208081622, 0.3164711939, 0.3632928781, 0.2392522452,
                                       -0.07666262348, -0.1522223759, -0.1561895665, -0.08669836333,
                                       0.1385760115, 0.2642616057, 0.2656608376, 0.1421156264},
                   {1, 3, 4}),
             tolerance);
  checkArray(
      results[2],
      Array(std::vector<double>{0.01354024668, -0.01449867021, -0.03571863594, -0.04013956908,
                                -0.07666262348, -0.1522223759, -0.1561895665, -0.08669836333,
                                0.06265781085, 0.05520422605, 0.02178723115, -0.02187663899},
            {1, 3, 4}),
      tolerance);
  checkArray(results[3], results[1], tolerance);
  checkArray(results[4],
             Array(std::vector<double>{0.09092692329, 0.1326497925, 0.1119853916, 0.03865251124,
                                       -0.1105772824, -0.1192376766, -0.07181872832, 0.009377690068,
                                       0.1840297113, 0.2620792981, 0.2168688958, 0.06966166324},
                   {1, 3, 4}),
             tolerance);
  // Each sample by itself, with the same mask for all heads.
  Array two = K::eval(
      K::concatenate({K::constant(wave(0, {1, 3, 4})), K::constant(wave(9, {1, 3, 4}))}, 0));
  checkArray(K::function(x, attention(x))({two})[0][K::Slice(0, 1)], results[0], tolerance);
}

TEST_CASE("activations by name", "[layers]") {
  const Doubles doubles;
  Tensor x = K::constant(Array{-2.0, -0.5, 0.0, 0.5, 2.0});
  const std::pair<const char *, Array> cases[] = {
      {"elu", Array{-0.8646647168, -0.3934693403, 0.0, 0.5, 2.0}},
      {"exponential", Array{0.1353352832, 0.6065306597, 1.0, 1.648721271, 7.389056099}},
      {"gelu", Array{-0.0455002639, -0.1542687694, 0.0, 0.3457312306, 1.954499736}},
      {"gelu_tanh", Array{-0.04540230591, -0.1542859902, 0.0, 0.3457140098, 1.954597694}},
      {"hard_sigmoid", Array{0.1, 0.4, 0.5, 0.6, 0.9}},
      {"linear", Array{-2.0, -0.5, 0.0, 0.5, 2.0}},
      {"relu", Array{0.0, 0.0, 0.0, 0.5, 2.0}},
      {"selu", Array{-1.520166469, -0.6917581878, 0.0, 0.5253504937, 2.101401975}},
      {"sigmoid", Array{0.119202922, 0.3775406688, 0.5, 0.6224593312, 0.880797078}},
      {"silu", Array{-0.238405844, -0.1887703344, 0.0, 0.3112296656, 1.761594156}},
      {"softmax", Array{0.01255470884, 0.05626630141, 0.09276744796, 0.1529476647, 0.6854638771}},
      {"softplus", Array{0.126928011, 0.4740769842, 0.6931471806, 0.9740769842, 2.126928011}},
      {"softsign", Array{-0.6666666667, -0.3333333333, 0.0, 0.3333333333, 0.6666666667}},
      {"swish", Array{-0.238405844, -0.1887703344, 0.0, 0.3112296656, 1.761594156}},
      {"tanh", Array{-0.9640275801, -0.4621171573, 0.0, 0.4621171573, 0.9640275801}},
  };
  for (const auto &[name, expected] : cases) {
    INFO(name);
    checkValue(layers::Activation(name)(x), expected, tolerance);
  }
}
