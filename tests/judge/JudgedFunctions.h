// The K functions that an independent judge knows, called with arguments from a table.
#ifndef KERATIN_TESTS_JUDGE_JUDGEDFUNCTIONS_H
#define KERATIN_TESTS_JUDGE_JUDGEDFUNCTIONS_H

#include "keratin/backend.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace keratin::judge {

using Tensors = std::vector<Tensor>;
// The results for inputs and the arguments of a case.
using Judged = std::function<Tensors(const Tensors &, const nlohmann::json &)>;

// Null for a function that is not in the table.
const Judged *findJudged(const std::string &name);

} // namespace keratin::judge

#endif // KERATIN_TESTS_JUDGE_JUDGEDFUNCTIONS_H
