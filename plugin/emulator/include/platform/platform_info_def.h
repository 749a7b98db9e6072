// Structs of the platform, and the names of the standard library that programs take from here.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/platform_manager.h"

using std::map;
using std::string;
using std::vector;
