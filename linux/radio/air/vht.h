/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vht: durations and capabilities of 802.11ac.
 */
#ifndef WAVETANK_RADIO_VHT_H
#define WAVETANK_RADIO_VHT_H

#include "kernel.h"

/* Data bits a subcarrier are bits * num / den at an MCS; MCS 10 and 11 are HE's. */
struct wt_coding {
	u8 bits, num, den;
};

#define WT_VHT_MCS	10
#define WT_HE_MCS	12
extern const struct wt_coding wt_coding[WT_HE_MCS];

unsigned int wt_vht_width(const struct ieee80211_tx_rate *r);
unsigned int wt_vht_training_fields(unsigned int streams);
u32 wt_vht_symbol_bits(const struct ieee80211_tx_rate *r);
u64 wt_vht_ppdu_ns(const struct ieee80211_tx_rate *r, u32 bytes);
u32 wt_vht_bytes_in(const struct ieee80211_tx_rate *r, u64 ns);
bool wt_vht_exists(unsigned int mcs, unsigned int streams, unsigned int mhz);
void wt_vht_caps(struct ieee80211_sta_vht_cap *vht, u32 streams);

#endif
