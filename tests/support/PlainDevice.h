// The device of tests/support/PlainTarget.h.
#ifndef KERATIN_TESTS_SUPPORT_PLAINDEVICE_H
#define KERATIN_TESTS_SUPPORT_PLAINDEVICE_H

namespace keratin::tests {

// What its images are: one relocatable object for this process.
inline constexpr const char *plainImageKind = "object";

void registerPlainDevice();

} // namespace keratin::tests

#endif // KERATIN_TESTS_SUPPORT_PLAINDEVICE_H
