// Values of variables in files: safetensors and .npz.
#include "tests/frontend/FrontendTest.h"

#include "tests/support/TemporaryFile.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

// A file of its own that K::save_weights knows by its end.
struct WeightsFile : keratin::tests::TemporaryFile {
  explicit WeightsFile(const char *end = ".safetensors") { path += end; }

  std::string read() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string &bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  // As the format has it: the header's length, the header, the elements.
  void write(const std::string &header, const std::string &elements) const {
    uint64_t length = header.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    write(bytes + header + elements);
  }
};

} // namespace

TEST_CASE("weights are saved and loaded by name", "[weights]") {
  WeightsFile file(GENERATE(".safetensors", ".npz"));
  const Array matrix = {{1.0, 2.0}, {3.0, 4.0}};
  Tensor w = K::variable(matrix, {.name = "weights_w"});
  Tensor n = K::variable(7, {.dtype = "int64", .name = "weights_n"});
  Tensor h = K::variable(Array{0.5, -1.0}, {.dtype = "float16", .name = "weights_h"});
  Tensor b = K::variable(Array{1.5, -3.0}, {.dtype = "bfloat16", .name = "weights/b c"});
  K::save_weights({w, n, h, b}, file.path);
  K::set_value(w, 0.0);
  K::set_value(n, 0);
  K::load_weights({n, w}, file.path); // a part, in another order
  checkValue(w, matrix);
  checkValue(n, Array(7));
  K::set_value(h, 0.0);
  K::set_value(b, 0.0);
  K::load_weights({h, b}, file.path);
  checkValue(h, Array{0.5, -1.0});
  checkValue(b, Array{1.5, -3.0});
}

TEST_CASE("the weights of a function fit another that was saved with it", "[weights]") {
  WeightsFile file;
  keratin::tests::TemporaryFile graph;
  Tensor x = K::placeholder({2}), w = K::variable(Array{1.0, 2.0}, {.name = "weights_shared"});
  K::Function f = K::function(x, K::dropout(x * w, 0.5), K::update_add(w, x));
  K::save_function(f, graph.path);
  f({Array{1.0, 1.0}});
  K::save_weights(f, file.path);
  K::Function loaded = K::load_function(graph.path);
  checkValue(loaded.variables()[0], Array{1.0, 2.0});
  K::load_weights(loaded, file.path);
  checkValue(loaded.variables()[0], Array{2.0, 3.0});
}

TEST_CASE("files of others are read", "[weights]") {
  WeightsFile file;
  Tensor w = K::variable(Array{0.0, 0.0}, {.name = "weights_foreign"});
  const float elements[] = {1.5f, 2.5f, 3.5f};
  std::string bytes(reinterpret_cast<const char *>(elements), sizeof elements);
  file.write(R"({"__metadata__":{"format":"pt"},"other":{"dtype":"F32","shape":[],)"
             R"("data_offsets":[0,4]},"weights_foreign":{"dtype":"F32","shape":[2],)"
             R"("data_offsets":[4,12]}}   )",
             bytes);
  K::load_weights(w, file.path);
  checkValue(w, Array{2.5, 3.5});
}

TEST_CASE("weights that do not fit change nothing", "[weights]") {
  WeightsFile file;
  Tensor a = K::variable(1.0, {.name = "weights_a"}), b = K::variable(1.0, {.name = "weights_b"}),
         c = K::variable(1.0, {.name = "weights_c"});
  K::save_weights(a, file.path);
  K::set_value(a, 5.0);
  CHECK(has(errorOf<K::ValueError>([&] { K::load_weights({a, b}, file.path); }),
            "it has no 'weights_b'"));
  checkValue(a, Array(5.0));
  file.write(R"({"weights_a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "1234");
  CHECK(has(errorOf<K::ValueError>([&] { K::load_weights(a, file.path); }),
            "'weights_a' has shape (1,); needed the variable's shape ()"));
  CHECK(has(errorOf<K::ValueError>([&] { K::load_weights({b, c}, file.path); }),
            "it has no 'weights_b', nor 1 other variables"));
  CHECK(has(errorOf<K::ValueError>([&] { K::save_weights(K::placeholder({2}), file.path); }),
            "' is no dense variable"));
  CHECK(has(errorOf<K::ValueError>([&] { K::save_weights(a, "weights.h5"); }),
            "'weights.h5' ends in no known way; needed .safetensors or .npz"));
  Tensor count = K::variable(1, {.dtype = "int32", .name = "weights_a"});
  file.write(R"({"weights_a_1":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", "1234");
  CHECK(has(errorOf<K::ValueError>([&] { K::load_weights(count, file.path); }),
            "'weights_a_1' is float32; needed the variable's dtype int32"));
  // Names are made unique, but for those of functions that were loaded.
  keratin::tests::TemporaryFile graph;
  K::save_function(K::function({}, a + 1.0), graph.path);
  Tensor twin = K::load_function(graph.path).variables()[0];
  CHECK(has(errorOf<K::ValueError>([&] { K::save_weights({a, twin}, file.path); }),
            "two variables are named 'weights_a'"));
  Tensor reserved = K::variable(1.0, {.name = "__metadata__"});
  CHECK(has(errorOf<K::ValueError>([&] { K::save_weights(reserved, file.path); }),
            "a variable is named '__metadata__', which the file has another use for"));
  CHECK_THROWS_AS(K::load_weights(a, "/nonexistent/w.safetensors"), K::RuntimeError);
}

TEST_CASE("damaged weights are refused", "[weights]") {
  WeightsFile file;
  Tensor a = K::variable(1.0, {.name = "weights_damaged"});
  auto refused = [&](const std::string &header, const std::string &elements,
                     const std::string &message) {
    file.write(header, elements);
    INFO(header);
    CHECK(has(errorOf<K::ValueError>([&] { K::load_weights(a, file.path); }), message));
  };
  auto entry = [](const std::string &rest) { return R"({"weights_damaged":{)" + rest + "}}"; };
  refused("", "", "its header is not JSON of this format, behind 0 bytes of it");
  refused("[]", "", "its header is not JSON of this format");
  refused(std::string(100'000, '['), "", "its header is not JSON of this format");
  const std::string scalar = R"("weights_damaged":{"dtype":"F32","shape":[],"data_offsets":[)";
  refused("{" + scalar + "0,4]}," + scalar + "4,8]}}", "12345678",
          "two tensors are named 'weights_damaged'");
  refused("{}", "", "it has no 'weights_damaged'");
  refused("{}", "left over", "its tensors have 0 bytes; found 9");
  refused(entry(R"("dtype":"F32","shape":[],"data_offsets":[0,4])"), "123",
          "its tensors have 4 bytes; found 3");
  refused(entry(R"("dtype":"F32","shape":[],"data_offsets":[0,4])"), "12345",
          "its tensors have 4 bytes; found 5");
  refused(entry(R"("dtype":"F32","shape":[],"data_offsets":[4,8])"), "12345678",
          "begins at byte 4; needed 0, where the one before it ends");
  refused(entry(R"("dtype":"F32","shape":[],"data_offsets":[4,0])"), "1234",
          "a tensor in its header has no place");
  refused(entry(R"("dtype":"F32","shape":[],"data_offsets":[0,2])"), "12",
          "data_offsets hold 2 bytes; needed 4 for its shape and dtype");
  refused(entry(R"("dtype":"F32","shape":[],"data_offsets":[0,-4])"), "1234",
          "its header is not JSON of this format");
  refused(entry(R"("dtype":"F8","shape":[],"data_offsets":[0,1])"), "1",
          "tensor 'weights_damaged': a dtype that Keratin has not");
  refused(entry(R"("dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0])"), "",
          ": its bytes do not fit 64 bits");
  refused(entry(R"("dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4])"), "1234",
          ": a size does not fit 64 bits");
  refused(entry(R"("dtype":"F32","shape":1,"data_offsets":[0,4])"), "1234",
          "its header is not JSON of this format");
  refused(entry(R"("dtype":"F32","data_offsets":[0,4])"), "1234",
          "its header is not JSON of this format");
  std::string ranks = "1";
  for (int i = 0; i < 32; ++i)
    ranks += ",1";
  refused(entry(R"("dtype":"F32","shape":[)" + ranks + R"(],"data_offsets":[0,4])"), "1234",
          "a list in its header is too long");
  file.write(std::string(8, '\xff'));
  CHECK(has(errorOf<K::ValueError>([&] { K::load_weights(a, file.path); }),
            " bytes; needed one in the file of at most "));
  file.write("1234");
  CHECK(has(errorOf<K::ValueError>([&] { K::load_weights(a, file.path); }),
            "it has fewer than 8 bytes"));

  // Every part of a good file, and every byte of its header changed: values or an error.
  K::save_weights(a, file.path);
  const std::string whole = file.read();
  for (size_t length = 0; length < whole.size(); ++length) {
    file.write(whole.substr(0, length));
    CHECK_THROWS_AS(K::load_weights(a, file.path), K::ValueError);
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = char(changed[i] ^ 0x15);
    file.write(changed);
    try {
      K::load_weights(a, file.path);
    } catch (const K::ValueError &) {
    }
  }
}

TEST_CASE("damaged .npz weights are refused", "[weights]") {
  WeightsFile file(".npz");
  Tensor a = K::variable(1.0, {.name = "weights_damaged_npz"});
  K::save_weights(a, file.path);
  const std::string whole = file.read();
  for (size_t length = 0; length < whole.size(); ++length) {
    file.write(whole.substr(0, length));
    CHECK_THROWS_AS(K::load_weights(a, file.path), K::ValueError);
  }
  file.write(whole.substr(0, whole.size() / 2));
  CHECK(has(errorOf<K::ValueError>([&] { K::load_weights(a, file.path); }),
            "load_weights: '" + file.path +
                "': this is no .npz file: the end of a zip archive is missing; at "));
}
