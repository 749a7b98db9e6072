#pragma once

#include "tiling/tiling_api.h"
