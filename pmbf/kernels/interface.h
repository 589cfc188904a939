/* Raised with every change of a native function's arguments or results: native_library.py reads it here, too, and refuses
 * a library that was built with another one. */
#define PMBF_INTERFACE 21
