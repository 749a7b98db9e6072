// Part of the op-API layer, which no evaluation runs. Tiling sources include it without using it.
#pragma once
