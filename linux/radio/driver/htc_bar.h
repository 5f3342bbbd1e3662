/* SPDX-License-Identifier: GPL-2.0 */
/*
 * htc_bar: BARs of ath9k_htc's firmware.
 */
#ifndef WAVETANK_RADIO_HTC_BAR_H
#define WAVETANK_RADIO_HTC_BAR_H

#include "driver/htc_state.h"

void wt_htc_bar(struct wt_radio *r, const struct wt_ppdu *p);
bool wt_htc_bar_over(struct wt_radio *r, int ac, struct wt_ppdu *p);

#endif
