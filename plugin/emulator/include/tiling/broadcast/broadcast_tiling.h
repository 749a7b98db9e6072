#pragma once

#include "tiling/broadcast_tiling.h"
