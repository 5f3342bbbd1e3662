/* SPDX-License-Identifier: GPL-2.0 */
/*
 * htc_firmware: ath9k_htc's device.
 */
#ifndef WAVETANK_RADIO_HTC_FIRMWARE_H
#define WAVETANK_RADIO_HTC_FIRMWARE_H

#include "driver/htc_state.h"

void wt_htc_fixed_chain(struct ieee80211_tx_rate *rates);
u32 wt_htc_delimiters(u32 len);
u32 wt_htc_longest(const struct ieee80211_tx_rate *rate);
bool wt_htc_settled(struct wt_radio *r, struct sk_buff *skb);
void wt_htc_formed(struct wt_radio *r, int ac, struct wt_ppdu *p);
void wt_htc_again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len);
void wt_htc_done(struct wt_radio *r, int q, struct wt_ppdu *p, bool response);
void wt_htc_arrived(struct wt_radio *r, u64 now);
void wt_htc_cpu_step(struct wt_radio *r, u64 now);

#endif
