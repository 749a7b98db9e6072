#pragma once

#include "tiling/select_tiling.h"
