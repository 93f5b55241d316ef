// Writes the graphs that a judge runs: keratin-judge-graphs FOLDER
//
// FOLDER/cases.json lists cases, each with an id, a function, its arguments and its inputs (kind,
// dtype, shape with the sizes that are unknown, and the values of a variable). For each:
// FOLDER/<id>.ktg, whose results are those of the function, then the gradients of their weighted
// sum with respect to each floating input that has one, then, if `second` is set, those of the
// weighted sum of these. FOLDER/graphs.json names what is fed for each input ("whole", or the parts
// of a sparse one; nothing for a variable) and the results, or says why there is no graph.
#include "tests/judge/JudgedFunctions.h"

#include <cstdio>
#include <fstream>

using namespace keratin;
using namespace keratin::judge;
using nlohmann::json;
namespace K = keratin::backend;

// Different for each element, so that a gradient in the wrong place shows.
static Tensor weighted(const Tensor &x) {
  Tensor flat = K::flatten(K::to_dense(x));
  Tensor place = K::cumsum(K::ones_like(flat)) - 1.0;
  return K::sum(flat * K::cos(place * 0.7 + 0.3));
}

static std::optional<Tensor> total(const Tensors &tensors) {
  std::optional<Tensor> sum;
  for (const Tensor &x : tensors)
    if (isFloating(x.dtype()))
      sum = sum ? *sum + weighted(x) : weighted(x);
  return sum;
}

// Appends the gradients of `of` to the results; which there are is told in `kinds`.
static Tensors addGradients(const std::optional<Tensor> &of, const Tensors &inputs, char kind,
                            Tensors &results, json &kinds) {
  Tensors found, wanted;
  std::vector<size_t> places;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (isFloating(inputs[i].dtype())) {
      wanted.push_back(inputs[i]);
      places.push_back(i);
    }
  if (!of || wanted.empty())
    return found;
  auto gradients = K::gradients(*of, wanted);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i]) {
      found.push_back(*gradients[i]);
      results.push_back(*gradients[i]);
      kinds.push_back(std::string(1, kind) + std::to_string(places[i]));
    }
  return found;
}

static Array arrayOf(const json &declared) {
  return Array(declared.at("values").get<std::vector<double>>(),
               declared.at("shape").get<std::vector<int64_t>>());
}

static Tensor makeInput(const json &declared, size_t number) {
  std::string kind = declared.at("kind"), dtype = declared.at("dtype");
  if (kind == "phase")
    return K::learning_phase().tensor();
  if (kind == "variable")
    return K::variable(arrayOf(declared), dtype);
  if (kind == "sparse variable")
    return K::variable(SparseMatrix::fromDense(arrayOf(declared)), dtype);
  std::vector<Size> sizes;
  for (const json &size : declared.at("shape"))
    sizes.push_back(size.is_null() ? Size(None) : Size(size.get<int64_t>()));
  return K::placeholder(Shape(sizes), None, dtype, kind == "sparse", "x" + std::to_string(number));
}

static json fedNames(const Tensor &input, const json &declared) {
  std::string kind = declared.at("kind"), name = input.name().substr(0, input.name().find(':'));
  if (kind == "variable" || kind == "sparse variable")
    return json::object();
  if (kind != "sparse")
    return {{"whole", name}};
  json names = {
      {"rows", name + ".rows"}, {"columns", name + ".columns"}, {"values", name + ".values"}};
  const char *sizes[] = {"row_count", "column_count"};
  for (size_t i = 0; i < 2; ++i)
    if (declared.at("shape")[i].is_null())
      names[sizes[i]] = name + "." + sizes[i];
  return names;
}

static json makeGraph(const json &test, const std::string &folder) {
  std::string id = test.at("id");
  const Judged *function = findJudged(test.at("function"));
  if (!function)
    return {{"id", id}, {"error", "not in the table of JudgedFunctions.cpp"}};
  Tensors inputs, fed;
  json names = json::array();
  for (const json &declared : test.at("inputs")) {
    inputs.push_back(makeInput(declared, inputs.size()));
    names.push_back(fedNames(inputs.back(), declared));
    if (!names.back().empty())
      fed.push_back(inputs.back());
  }
  Tensors results = (*function)(inputs, test.at("args"));
  json kinds = json::array();
  for (size_t i = 0; i < results.size(); ++i)
    kinds.push_back("y" + std::to_string(i));
  std::optional<Tensor> sum = total(results);
  Tensors first = addGradients(sum, inputs, 'g', results, kinds);
  if (test.at("second"))
    addGradients(total(first), inputs, 'h', results, kinds);
  K::save_function(K::function(fed, results), folder + "/" + id + ".ktg");
  return {{"id", id}, {"inputs", names}, {"results", kinds}};
}

int main(int argc, char **argv) {
  if (argc != 2)
    return std::fprintf(stderr, "keratin-judge-graphs FOLDER\n"), 2;
  std::string folder = argv[1];
  json cases = json::parse(std::ifstream(folder + "/cases.json")), graphs = json::array();
  for (const json &test : cases) {
    try {
      graphs.push_back(makeGraph(test, folder));
    } catch (const std::exception &error) {
      graphs.push_back({{"id", test.at("id")}, {"error", error.what()}});
    }
  }
  std::ofstream(folder + "/graphs.json") << graphs.dump(1) << "\n";
  return 0;
}
