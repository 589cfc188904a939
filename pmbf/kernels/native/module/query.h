/* The functions of query.c. They answer None where an argument is not what it should be. */

#ifndef PMBF_MODULE_QUERY_H
#define PMBF_MODULE_QUERY_H

#include <Python.h>

/* evidence(bounds, places, weights, tokens, shingle_tokens, window, missed) -> (n, buffer); int64 */
PyObject *module_evidence(PyObject *module, PyObject *const *arguments, Py_ssize_t n);
/* look_up([(bits, sealed, k), …], hashes) -> (n_hashes, n_words, hits, n_hit); uint64 (n_hashes, n_words) and int64 */
PyObject *module_look_up(PyObject *module, PyObject *const *arguments, Py_ssize_t n);
/* rows_with_evidence(hits, weights, tokens, shingle_tokens, window, missed, least) -> (n, buffer); int64 */
PyObject *module_rows_with_evidence(PyObject *module, PyObject *const *arguments, Py_ssize_t n);

#endif
