/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mac: what mac80211 calls.
 */
#ifndef WAVETANK_RADIO_MAC_H
#define WAVETANK_RADIO_MAC_H

#include <net/mac80211.h>

extern const struct ieee80211_ops wt_mac_ops;

#endif
