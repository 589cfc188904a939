/* AVX-512: folds and checks 64 bytes at a time. */

#if defined(__x86_64__)

#include "text_avx512.h"

#include "text_target512.h"

#include "text_vec512.h"

#define VARIANT(name) name##_avx512
#include "text_check.h"
#include "text_step.h"

#include "text_target_end.h"

#endif
