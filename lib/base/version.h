/* The program's version, as every document names it. */
#ifndef TF_BASE_VERSION_H
#define TF_BASE_VERSION_H

#define TF_VERSION "0.1.0"

#endif
