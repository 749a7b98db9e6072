// What a kernel finds as <math.h>: the functions of C. Those of C++ under their global names would come before the functions
// that the compiler of the device has, which no header of the host hides there.
#ifdef __CCE_AICORE__
#include <cmath>
#else
#include_next <math.h>
#endif
