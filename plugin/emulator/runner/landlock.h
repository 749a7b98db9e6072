// File system confinement by the kernel's Landlock.
#pragma once

#include <string>
#include <vector>

namespace npu_runner {

// Version of Landlock this kernel offers; 0: none.
int landlockVersion();

// From now on only files below `readable` can be opened, for reading. Missing paths are left out. False when Landlock
// refuses, or is not there.
bool confineFiles(const std::vector<std::string>& readable);

}  // namespace npu_runner
