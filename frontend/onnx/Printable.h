// What a model's file says may be anything; a message is one short line.
#ifndef KERATIN_FRONTEND_ONNX_PRINTABLE_H
#define KERATIN_FRONTEND_ONNX_PRINTABLE_H

#include <cstdint>
#include <string>

namespace keratin::frontend::onnx_models {

inline std::string printable(std::string text, size_t most = 1000) {
  if (text.size() > most)
    text = text.substr(0, most) + " …";
  for (char &c : text)
    if (uint8_t(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

} // namespace keratin::frontend::onnx_models

#endif // KERATIN_FRONTEND_ONNX_PRINTABLE_H
