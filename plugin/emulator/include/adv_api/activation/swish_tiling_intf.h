#pragma once

#include "tiling/activation_tiling.h"
