// File system confinement by the kernel's Landlock, where the kernel has it.
#pragma once

#include <string>
#include <vector>

namespace npu_runner {

// Version of Landlock this kernel offers; 0: none.
int landlockVersion();

// From now on only files below `readable` can be opened, for reading. Missing paths are left out. False when Landlock
// is there and refuses.
bool confineFiles(const std::vector<std::string>& readable);

}  // namespace npu_runner
