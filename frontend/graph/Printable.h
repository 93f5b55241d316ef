// Texts of files in messages and as places: they may be anything, and a message is one short line.
#ifndef KERATIN_FRONTEND_GRAPH_PRINTABLE_H
#define KERATIN_FRONTEND_GRAPH_PRINTABLE_H

#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace keratin::frontend {

inline std::string printable(std::string text, size_t most = 1000) {
  if (text.size() > most)
    text = text.substr(0, most) + " …";
  for (char &c : text)
    if (uint8_t(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

// Of a place, whose text lives as long as the program.
inline const char *keptText(std::string text) {
  static std::mutex mutex;
  static auto *texts = new std::set<std::string>();
  const std::lock_guard<std::mutex> lock(mutex);
  return texts->insert(std::move(text)).first->c_str();
}

} // namespace keratin::frontend

#endif // KERATIN_FRONTEND_GRAPH_PRINTABLE_H
