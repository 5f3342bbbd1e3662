/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rate_set: the rates that hardware of MT7603's and MT7615's kind goes through for a station.
 */
#ifndef WAVETANK_RADIO_RATE_SET_H
#define WAVETANK_RADIO_RATE_SET_H

#include "radio.h"

bool wt_rate_set_used(const struct wt_radio *r);
void wt_rate_set_table(struct ieee80211_sta *sta);
void wt_rate_set_probe(struct ieee80211_sta *sta, const struct ieee80211_tx_rate *probe);
void wt_rate_set_chain(struct wt_ppdu *p, struct sk_buff *skb);
void wt_rate_set_report(struct wt_ppdu *p, struct sk_buff *skb, bool acked);
void wt_rate_set_over(struct wt_ppdu *p);

#endif
