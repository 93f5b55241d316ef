// Views as one page that needs nothing else: docs/tools.md says what it shows.
#ifndef KERATIN_TOOLS_DUMP_HTML_H
#define KERATIN_TOOLS_DUMP_HTML_H

#include "tools/keratin-dump/GraphView.h"

namespace keratin::dump {

struct HtmlFunction {
  std::vector<GraphView> stages;           // of one function, in order
  std::map<std::string, std::string> code; // assembly by name of the function
};

struct HtmlPage {
  std::string title;
  std::vector<HtmlFunction> functions;
  std::map<std::string, std::string> sources; // the line's text by "file:line"
};

// Whatever names the views hold, the page's own script is the only one.
std::string toHtml(const HtmlPage &page);

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_HTML_H
