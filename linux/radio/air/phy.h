/* SPDX-License-Identifier: GPL-2.0 */
/*
 * phy: durations, rates and bands, whatever the standard. Slots are short at 2.4 GHz, too: no station is of 802.11b.
 */
#ifndef WAVETANK_RADIO_PHY_H
#define WAVETANK_RADIO_PHY_H

#include "radio.h"

#define WT_OFDM_RATES	8
#define WT_DSSS_RATES	4
#define WT_SHORT_PREAMBLE	0x8000	/* beside a rate of 802.11b in 100 kbit/s */
bool wt_phy_aggregates(const struct ieee80211_tx_rate *r);
bool wt_phy_is_vht(const struct ieee80211_tx_rate *r);
int wt_phy_mcs(const struct ieee80211_tx_rate *r);
int wt_phy_mcs_over_streams(const struct ieee80211_tx_rate *r);
bool wt_phy_is_he(const struct ieee80211_tx_rate *r);
u32 wt_phy_mhz(const struct ieee80211_tx_rate *r);
u32 wt_phy_gi_ns(const struct ieee80211_tx_rate *r);
u32 wt_phy_streams(const struct ieee80211_tx_rate *r);
u64 wt_phy_bps(const struct ieee80211_tx_rate *r);
int wt_phy_fixed(unsigned int station, int mcs);
void wt_phy_set_fixed(struct ieee80211_tx_rate *r, unsigned int station, int mcs);
u32 wt_phy_modulation(enum nl80211_band band, const struct ieee80211_tx_rate *r);
struct ieee80211_tx_rate wt_phy_modulated(u32 k);
struct rate_info wt_phy_rate_info(const struct ieee80211_tx_rate *r);
u64 wt_phy_ppdu_ns(enum nl80211_band band, const struct ieee80211_tx_rate *r, u32 bytes);
u64 wt_phy_counted_ns(enum nl80211_band band, const struct ieee80211_tx_rate *r, u32 bytes);
u32 wt_phy_bytes_in(const struct ieee80211_tx_rate *r, u32 us);
u32 wt_phy_bytes_per_ns_gap(const struct ieee80211_tx_rate *r, u32 ns);
u64 wt_phy_control_ns(u32 rate_100k, u32 bytes);
u32 wt_phy_ofdm_of(u32 rate_100k);
int wt_phy_dsss_of(u32 rate_100k);
u32 wt_phy_legacy_rate(enum nl80211_band band, int idx);
u32 wt_phy_rate(enum nl80211_band band, const struct ieee80211_tx_rate *r);
u32 wt_phy_lowest_rate(enum nl80211_band band);
u64 wt_phy_start_ns(u32 rate_100k);
u64 wt_phy_sifs_ns(enum nl80211_band band);
u64 wt_phy_slot_ns(const struct wt_radio *r);
u32 wt_phy_dsss_protection_rate(const struct wt_radio *r);
u64 wt_phy_gap_ns(enum nl80211_band band, u32 rate_100k);
u64 wt_phy_extension_ns(enum nl80211_band band, u32 rate_100k);
u32 wt_phy_response_rate(const struct wt_radio *r, const struct ieee80211_tx_rate *of);

#define WT_SIFS_NS	16000ull

int wt_phy_check(void);
void wt_phy_bands(struct wt_radio *r);

#endif
