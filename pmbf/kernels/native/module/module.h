/* The functions of the extension module, a list for each file. The last entry of a list has no name. */

#pragma once

#include <Python.h>

extern PyMethodDef files_methods[], query_methods[], records_methods[];
extern PyMethodDef resultset_methods[], rows_methods[], sides_methods[], text_methods[], units_methods[];

/* Casts a function that takes an array of arguments to the type that Python's lists of functions want. */
#define AS_METHOD(function) ((PyCFunction)(void (*)(void))(function))
