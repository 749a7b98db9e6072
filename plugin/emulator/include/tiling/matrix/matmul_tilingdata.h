#pragma once

#include "tiling/library_structs.h"
