// The page without its data: page/page.html.in with the style and the script.
#ifndef KERATIN_TOOLS_DUMP_PAGETEMPLATE_H
#define KERATIN_TOOLS_DUMP_PAGETEMPLATE_H

#include <string>

namespace keratin::dump {

// What stands before and after the data.
extern const std::string pageHead, pageTail;

} // namespace keratin::dump

#endif // KERATIN_TOOLS_DUMP_PAGETEMPLATE_H
