/* The functions of text.c. */

#ifndef PMBF_MODULE_TEXT_H
#define PMBF_MODULE_TEXT_H

#include <Python.h>

/* sample(table, utf8, shingle_tokens, min_hashes, segment_chars, density, ordered, positions, starts)
 * -> (buffer, n_hashes, n_starts, n_token, n_bounds, n_chars, n_tokens, n_shingles, n_mixed, n_invisible); the buffer holds
 * hashes, starts, tokens and bounds, all uint32 */
PyObject *module_sample(PyObject *module, PyObject *arguments);
/* tokenise(table, utf8) -> (buffer, n_tokens, n_chars, n_mixed, n_invisible); the buffer holds hashes uint64, starts
 * and stops uint32, singles uint8 */
PyObject *module_tokenise(PyObject *module, PyObject *arguments);
/* fold(table, utf8) -> (text, origins); origins are uint32 and a byte more */
PyObject *module_fold(PyObject *module, PyObject *arguments);

#endif
