/**
 * @file
 * unspool: all formats. Each has a header of its own, too.
 */
#ifndef UNSPOOL_H
#define UNSPOOL_H

#include "unspool/common.h"
#include "unspool/zstd.h"
#include "unspool/xz.h"
#include "unspool/gzip.h"
#include "unspool/pco.h"
#include "unspool/onpair.h"
#include "unspool/cvc.h"
#include "unspool/at1.h"

#endif
