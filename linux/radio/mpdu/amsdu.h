/* SPDX-License-Identifier: GPL-2.0 */
/*
 * amsdu: several MSDUs in one MPDU.
 */
#ifndef WAVETANK_RADIO_AMSDU_H
#define WAVETANK_RADIO_AMSDU_H

#include "radio.h"

u32 wt_amsdu_longest(const struct wt_radio *r, struct ieee80211_sta *sta);
struct sk_buff *wt_amsdu_dequeue(struct wt_radio *r, struct wt_tid *tid);

#endif
