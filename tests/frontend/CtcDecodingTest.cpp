// Decoding: the numbers of the specification, and all prefixes of small cases by brute force.
#include "tests/frontend/FrontendTest.h"

#include "keratin/function.h"
#include "keratin/saving.h"
#include "tests/support/TemporaryFile.h"

#include <algorithm>
#include <map>
#include <random>

namespace {

// Spec 19.4: four classes, the last being the blank.
Array frames() {
  return Array(
      std::vector<double>{.5, .2, .1, .2, .1, .6, .1, .2, .1, .5, .1, .3, .05, .15, .6, .2},
      {1, 4, 4});
}

struct Decoded {
  std::vector<Array> sequences;
  Array scores;
};

Decoded decode(const Operand &y, const Operand &lengths, bool greedy = true, int64_t width = 100,
               int64_t paths = 1, bool merge = false) {
  auto [sequences, scores] = K::ctc_decode(y, lengths, greedy, width, paths, merge);
  Decoded result;
  for (const Tensor &sequence : sequences)
    result.sequences.push_back(sequence.eval());
  result.scores = scores.eval();
  return result;
}

using Labels = std::vector<int64_t>;

Labels rowOf(const Array &sequences, int64_t row) {
  Labels labels;
  int64_t columns = sequences.shape()[1];
  for (int64_t i = 0; i < columns; ++i)
    if (int64_t label = sequences.item<int64_t>(row * columns + i); label >= 0)
      labels.push_back(label);
  return labels;
}

// Likelihoods of all label sequences, summed over all alignments.
std::map<Labels, double> likelihoods(const Array &y, int64_t sample, int64_t frames) {
  int64_t time = y.shape()[1], classes = y.shape()[2];
  std::map<Labels, double> result;
  std::vector<int64_t> alignment(size_t(frames), 0);
  for (;;) {
    double p = 1;
    Labels labels;
    for (int64_t t = 0; t < frames; ++t) {
      double sum = 0;
      auto at = [&](int64_t c) {
        return y.item<double>((sample * time + t) * classes + c) + K::epsilon();
      };
      for (int64_t c = 0; c < classes; ++c)
        sum += at(c);
      p *= at(alignment[size_t(t)]) / sum;
      int64_t before = t ? alignment[size_t(t) - 1] : -1;
      if (alignment[size_t(t)] != before && alignment[size_t(t)] != classes - 1)
        labels.push_back(alignment[size_t(t)]);
    }
    result[labels] += p;
    int64_t t = 0;
    for (; t < frames && ++alignment[size_t(t)] == classes; ++t)
      alignment[size_t(t)] = 0;
    if (t == frames)
      return result;
  }
}

Array randomFrames(std::vector<int64_t> dims, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> values(size_t(dims[0] * dims[1] * dims[2]));
  for (double &value : values)
    value = std::pow(uniform(random), 3);
  return Array(values, dims);
}

} // namespace

TEST_CASE("ctc_decode greedily, the numbers of the specification") {
  Decoded found = decode(frames(), {4});
  checkArray(found.sequences[0], Array(std::vector<int64_t>{0, 1, 2}, {1, 3}));
  CHECK(found.sequences[0].dtype() == DType::Int64);
  checkArray(found.scores, Array(std::vector<float>{2.407945f}, {1, 1}), 1e-5);
}

TEST_CASE("ctc_decode with beams, the numbers of the specification") {
  auto check = [](int64_t width, const std::vector<Labels> &labels,
                  const std::vector<double> &scores) {
    INFO("width " << width);
    Decoded found = decode(frames(), {4}, false, width, int64_t(labels.size()));
    for (size_t path = 0; path < labels.size(); ++path) {
      CHECK(rowOf(found.sequences[path], 0) == labels[path]);
      CHECK(found.sequences[path].shape()[1] == int64_t(labels[path].size()));
    }
    checkArray(found.scores, Array(scores, {1, int64_t(scores.size())}), 1e-5);
  };
  check(1, {{0, 1, 2}}, {-1.937943});
  check(2, {{0, 1, 2}, {0, 1}}, {-1.634756, -2.216866});
  check(3, {{0, 1, 2}, {1, 2}, {0, 1}}, {-1.634756, -2.100461, -2.216866});
  check(100, {{0, 1, 2}, {1, 2}, {0, 1}}, {-1.518684, -1.835085, -2.211374});
}

TEST_CASE("ctc_decode merges repeated labels if told to") {
  // blank A B blank B A, spec 19.6
  std::vector<double> y;
  for (int shown : {2, 0, 1, 2, 1, 0})
    for (int c = 0; c < 3; ++c)
      y.push_back(c == shown);
  Array certain(y, {1, 6, 3});
  CHECK(rowOf(decode(certain, {6}, false, 1).sequences[0], 0) == Labels{0, 1, 1, 0});
  CHECK(rowOf(decode(certain, {6}, false, 1, 1, true).sequences[0], 0) == Labels{0, 1, 0});
  CHECK(rowOf(decode(certain, {6}).sequences[0], 0) == Labels{0, 1, 1, 0});
}

TEST_CASE("a wide beam finds what brute force over all alignments finds") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    int64_t samples = 2, time = 1 + seed % 5, classes = 2 + seed % 3;
    Array y = randomFrames({samples, time, classes}, seed);
    std::vector<int64_t> lengths{time, time / 2};
    Decoded found = decode(y, lengths, false, 2000, 1);
    for (int64_t sample = 0; sample < samples; ++sample) {
      INFO("seed " << seed << " sample " << sample);
      std::map<Labels, double> all = likelihoods(y, sample, lengths[size_t(sample)]);
      auto best = std::max_element(
          all.begin(), all.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
      CHECK(rowOf(found.sequences[0], sample) == best->first);
      CHECK(std::abs(found.scores.item<double>(sample) - std::log(best->second)) < 1e-4);
    }
  }
}

TEST_CASE("all paths of a wide beam are all prefixes in order") {
  Array y = randomFrames({1, 3, 3}, 77);
  std::map<Labels, double> all = likelihoods(y, 0, 3);
  std::vector<std::pair<double, Labels>> order;
  for (const auto &[labels, p] : all)
    order.push_back({-p, labels});
  std::sort(order.begin(), order.end());
  int64_t paths = int64_t(order.size());
  Decoded found = decode(y, {3}, false, 1000, paths);
  for (int64_t path = 0; path < paths; ++path) {
    CHECK(rowOf(found.sequences[size_t(path)], 0) == order[size_t(path)].second);
    CHECK(std::abs(found.scores.item<double>(path) - std::log(-order[size_t(path)].first)) < 1e-4);
  }
  std::string message =
      errorOf<keratin::ValueError>([&] { decode(y, {3}, false, 1000, paths + 1); });
  CHECK_THAT(message, Catch::Contains("fewer sequences than top_paths"));
}

TEST_CASE("one function decodes batches of every size") {
  Tensor y = K::placeholder({None, None, 4}), lengths = K::placeholder({None, 1}, None, "int32");
  auto [greedy, score] = K::ctc_decode(y, lengths);
  auto [paths, scores] = K::ctc_decode(y, lengths, false, 5, 2);
  CHECK(keratin::toString(greedy[0].shape()) == "(None, None)");
  keratin::Function f = K::function(
      {y, lengths}, {greedy[0], score, paths[0], paths[1], scores, K::shape(greedy[0])});
  for (auto [samples, time] : {std::pair<int64_t, int64_t>{3, 6}, {1, 4}, {5, 9}, {2, 1}, {3, 6}}) {
    Array values = randomFrames({samples, time, 4}, unsigned(samples * 10 + time));
    std::vector<int32_t> counts;
    for (int64_t i = 0; i < samples; ++i)
      counts.push_back(int32_t(std::max<int64_t>(1, time - i)));
    std::vector<Array> all = f({values, Array(counts, {samples, 1})});
    size_t longest = 0;
    for (int64_t i = 0; i < samples; ++i) {
      INFO(samples << " " << time << " " << i);
      // Each sample by itself gives the same.
      std::vector<double> own;
      for (int64_t k = 0; k < time * 4; ++k)
        own.push_back(values.item<double>(i * time * 4 + k));
      Array one(own, {1, time, 4});
      CHECK(rowOf(all[0], i) == rowOf(decode(one, {counts[size_t(i)]}).sequences[0], 0));
      Decoded beams = decode(one, {counts[size_t(i)]}, false, 5, 2);
      CHECK(rowOf(all[2], i) == rowOf(beams.sequences[0], 0));
      CHECK(rowOf(all[3], i) == rowOf(beams.sequences[1], 0));
      CHECK(all[4].item<float>(2 * i + 1) == beams.scores.item<float>(1));
      longest = std::max(longest, rowOf(all[0], i).size());
    }
    CHECK(all[0].shape() == std::vector<int64_t>{samples, int64_t(longest)});
    CHECK(all[5].item<int64_t>(1) == int64_t(longest));
  }
}

TEST_CASE("sequences may be empty, and so may batches") {
  Array blanks(std::vector<double>{0, 1, 0, 1}, {1, 2, 2});
  CHECK(decode(blanks, {2}).sequences[0].shape() == std::vector<int64_t>{1, 0});
  CHECK(decode(frames(), {0}).sequences[0].shape() == std::vector<int64_t>{1, 0});
  CHECK(decode(frames(), {0}, false).sequences[0].shape() == std::vector<int64_t>{1, 0});
  Tensor y = K::placeholder({None, 4, 3}), lengths = K::placeholder({None}, None, "int64");
  keratin::Function f = K::function({y, lengths}, {K::ctc_decode(y, lengths, false, 3).first[0],
                                                   K::ctc_decode(y, lengths).first[0]});
  std::vector<Array> none =
      f({Array::zeros(DType::Float32, {0, 4, 3}), Array::zeros(DType::Int64, {0})});
  CHECK(none[0].shape() == std::vector<int64_t>{0, 0});
  CHECK(none[1].shape() == std::vector<int64_t>{0, 0});
}

TEST_CASE("what has a computed size is computed with") {
  Tensor sequence = K::ctc_decode(frames(), {4}).first[0];
  checkValue(K::sum(K::ones_like(sequence)), 3);
  checkValue(K::concatenate({sequence, sequence}, 1),
             Array(std::vector<int64_t>{0, 1, 2, 0, 1, 2}, {1, 6}));
  checkValue(K::zeros(keratin::Shape{K::shape(sequence)[1]}), Array::zeros(DType::Float32, {3}));
  CHECK(keratin::toString(K::int_shape(sequence)) == "(1, None)");
}

TEST_CASE("what is fed has no size that is computed too") {
  Tensor sequence = K::ctc_decode(frames(), {4}).first[0], twice = sequence + sequence;
  // Fed itself, nothing computes it.
  keratin::Function f = K::function({sequence}, {K::sum(twice)});
  CHECK(f({Array(std::vector<int64_t>{4, 5}, {1, 2})})[0].item<int64_t>() == 18);
  std::string message =
      errorOf<keratin::ValueError>([&] { K::function({twice}, {K::sum(twice), sequence}); });
  CHECK_THAT(message, Catch::Contains(": an input has a size that is also computed; needed the "
                                      "tensor of that size among the inputs, or none that has "
                                      "the size; at "));
}

TEST_CASE("decoding is saved and loaded") {
  Tensor y = K::placeholder({None, None, 4}, None, None, false, "y");
  Tensor lengths = K::placeholder({None}, None, "int64", false, "lengths");
  auto [paths, scores] = K::ctc_decode(y, lengths, false, 10, 2);
  keratin::Function f = K::function({y, lengths}, {paths[0], paths[1], scores});
  keratin::tests::TemporaryFile file;
  K::save_function(f, file.path);
  keratin::Function loaded = K::load_function(file.path);
  Array values = randomFrames({3, 5, 4}, 5), counts(std::vector<int64_t>{5, 4, 2});
  std::vector<Array> expected = f({values, counts}), found = loaded({values, counts});
  for (size_t i = 0; i < 3; ++i)
    checkArray(found[i], expected[i], 0);
}

TEST_CASE("what ctc_decode refuses") {
  auto refuses = [](const char *message, auto call) {
    CHECK_THAT(errorOf<keratin::ValueError>(call), Catch::Contains(message));
  };
  refuses("y_pred must have shape (samples, time, classes), with one class or more; found",
          [] { K::ctc_decode(K::zeros({2, 3}), {1, 1}); });
  refuses("input_length must have shape (samples,) or (samples, 1); found",
          [] { K::ctc_decode(frames(), K::zeros({1, 2})); });
  refuses("; needed 1 <= top_paths <= beam_width",
          [] { K::ctc_decode(frames(), {4}, false, 2, 3); });
  refuses("an input length is outside [0, time]", [] { decode(frames(), {5}); });
  refuses("an input length is outside [0, time]", [] { decode(frames(), {-1}, false); });
}

TEST_CASE("decoding has no derivative") {
  Tensor y = K::placeholder({None, None, 3}, None, "float32");
  for (bool greedy : {true, false}) {
    auto [paths, scores] = K::ctc_decode(y, Array{2}, greedy);
    CHECK_FALSE(K::gradients(scores, {y})[0].has_value());
    CHECK_FALSE(K::gradients(K::cast(paths[0], "float32"), {y})[0].has_value());
  }
}

TEST_CASE("ctc_create_skip_idxs, the numbers of the specification") {
  auto indices = [](const std::vector<int64_t> &labels) {
    return K::ctc_create_skip_idxs(K::ctc_interleave_blanks(labels)).eval();
  };
  CHECK(indices({1, 1}).shape() == std::vector<int64_t>{0});
  checkArray(indices({0, 1, 2}), Array(std::vector<int64_t>{1, 3}));
  checkArray(indices({0, 0, 2, 2, 1}), Array(std::vector<int64_t>{3, 7}));
  CHECK(indices({4}).shape() == std::vector<int64_t>{0});
  Tensor y = K::placeholder({None}, None, "int32");
  keratin::Function f = K::function({y}, {K::ctc_create_skip_idxs(y)});
  checkArray(f({Array(std::vector<int32_t>{-1, 5, -1, 6, -1, 6, -1, 5, -1})})[0],
             Array(std::vector<int64_t>{1, 5}));
  CHECK(f({Array(std::vector<int32_t>{-1})})[0].shape() == std::vector<int64_t>{0});
  std::string message =
      errorOf<keratin::ValueError>([] { K::ctc_create_skip_idxs(K::zeros({2})); });
  CHECK_THAT(message, Catch::Contains("Y must be a vector of integers; found shape"));
}
