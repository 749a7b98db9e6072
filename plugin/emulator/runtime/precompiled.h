// What many sources of the runtime and the runner read: read once, before they are compiled. It saves more than half of the
// time of building the emulator. Sources include what they use all the same; tools compile them without this file.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api_calls.h"
#include "host.h"
#include "instruction_stream.h"
#include "issue.h"
#include "library.h"
#include "numerics.h"
#include "walk.h"
