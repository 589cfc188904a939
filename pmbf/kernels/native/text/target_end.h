/* Ends what target512.h or target2.h began. */

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
