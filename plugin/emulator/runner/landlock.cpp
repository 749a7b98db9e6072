#include "landlock.h"

#include <cstdint>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "channel.h"

namespace npu_runner {

namespace {

// Rights by Landlock version, as numbers: the kernel headers of the build machine may be older than the kernel.
constexpr uint64_t execute = 1 << 0, readFile = 1 << 2, readDirectory = 1 << 3;
constexpr uint64_t allRights(int version) {
  uint64_t rights = (1 << 13) - 1;
  if (version >= 2) rights |= 1 << 13;  // moving files between folders
  if (version >= 3) rights |= 1 << 14;  // truncating
  if (version >= 5) rights |= 1 << 15;  // ioctl on devices
  return rights;
}

bool addRule(int ruleset, const std::string& path) {
  const Descriptor file(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0) return true;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = readFile | execute | (S_ISDIR(status.st_mode) ? readDirectory : 0);
  rule.parent_fd = file.get();
  return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

int landlockVersion() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

bool confineFiles(const std::vector<std::string>& readable) {
  const int version = landlockVersion();
  if (version == 0) return false;
  const uint64_t handled = allRights(version);
  const Descriptor ruleset(static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0)));
  if (!ruleset) return false;
  for (const std::string& path : readable)
    if (!addRule(ruleset.get(), path)) return false;
  return syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
}

}  // namespace npu_runner
