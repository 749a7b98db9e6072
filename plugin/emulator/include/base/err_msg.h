// Reports of errors to the framework: printed as those of the log are.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "log/log.h"
