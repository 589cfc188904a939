/* How a text is sampled, as Python passes it. */

#ifndef PMBF_MODULE_OPTIONS_H
#define PMBF_MODULE_OPTIONS_H

#include <Python.h>

#include "../text/result.h"

/* Takes (shingle_tokens, long_letters, min_hashes, segment_chars, density, ordered, hash_bits), and asks for no positions.
 * Returns 0 with an error set if it is something else. */
int take_options(PyObject *how, options_t *options);

#endif
