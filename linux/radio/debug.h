/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debug: what can be read from outside, below debugfs.
 */
#ifndef WAVETANK_RADIO_DEBUG_H
#define WAVETANK_RADIO_DEBUG_H

#include "radio.h"

int wt_debug_init(void);
void wt_debug_exit(void);
void wt_debug_radio(struct wt_radio *r);

#endif
