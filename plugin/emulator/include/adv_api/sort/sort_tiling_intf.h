#pragma once

#include "tiling/sort_tiling.h"
