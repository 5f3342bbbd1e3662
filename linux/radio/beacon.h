/* SPDX-License-Identifier: GPL-2.0 */
/*
 * beacon: an access point's.
 */
#ifndef WAVETANK_RADIO_BEACON_H
#define WAVETANK_RADIO_BEACON_H

#include "radio.h"

void wt_beacon_due(struct wt_radio *r, u64 now);

#endif
