/* SPDX-License-Identifier: GPL-2.0 */
/*
 * he: durations and capabilities of 802.11ax.
 */
#ifndef WAVETANK_RADIO_HE_H
#define WAVETANK_RADIO_HE_H

#include "kernel.h"

u32 wt_he_symbol_bits(const struct ieee80211_tx_rate *r);
u32 wt_he_symbol_ns(void);
u64 wt_he_bps(const struct ieee80211_tx_rate *r);
u64 wt_he_ppdu_ns(const struct ieee80211_tx_rate *r, u32 bytes);
u32 wt_he_bytes_in(const struct ieee80211_tx_rate *r, u64 ns);
enum nl80211_he_gi wt_he_gi(void);
void wt_he_caps(struct ieee80211_supported_band *band, struct ieee80211_sband_iftype_data *data, u32 streams);

#endif
