#define ROW float
#define LOAD load_float
#define FN(name) CAT(name, float, LEVEL)
#include "smo.h"
#undef ROW
#undef LOAD
#undef FN
#define ROW double
#define LOAD load_double
#define FN(name) CAT(name, double, LEVEL)
#include "smo.h"
