/* This number is raised with each change of a native function's arguments or results. native_library.py reads it here
 * too, and refuses a library built with another number. */
#define PMBF_INTERFACE 82
