/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pace: what mac80211 hands up goes by way of the host's CPU, where that takes time.
 */
#ifndef WAVETANK_RADIO_PACE_H
#define WAVETANK_RADIO_PACE_H

#include "radio.h"

int wt_pace_start(struct wt_radio *r);
void wt_pace_stop(struct wt_radio *r);

#endif
