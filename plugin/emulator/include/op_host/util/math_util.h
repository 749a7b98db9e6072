#pragma once

#include "util/math_util.h"
