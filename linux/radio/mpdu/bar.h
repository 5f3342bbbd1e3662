/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bar: a card's own BARs.
 */
#ifndef WAVETANK_RADIO_BAR_H
#define WAVETANK_RADIO_BAR_H

#include "radio.h"

#define WT_BAR_RETRIES	10	/* OWLMAX_BAR_RETRIES */

struct wt_ppdu *wt_bar_new(struct wt_radio *r, const struct wt_ppdu *of);

#endif
