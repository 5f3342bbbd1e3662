/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rx: what arrived, from the air to mac80211.
 */
#ifndef WAVETANK_RADIO_RX_H
#define WAVETANK_RADIO_RX_H

#include "radio.h"

#define WT_RX_ROOM	((int)SKB_WITH_OVERHEAD(4096))	/* of a card's receive buffer, head room included */

void wt_rx_init(struct wt_radio *r);
void wt_rx_purge(struct wt_radio *r);
void wt_rx_lands(struct wt_radio *from, const struct wt_ppdu *p, u64 until);
void wt_rx_deliver(struct wt_radio *from, struct wt_ppdu *p, u64 since);
s8 wt_rx_signal(const struct wt_radio *from, const struct wt_radio *to, u64 at);
/* a device's, of a frame that came */
void wt_rx_host(struct wt_radio *to, struct sk_buff *skb);
void wt_rx_arrived(struct wt_radio *to, struct sk_buff *skb, u64 ended);
void wt_rx_mitigated(struct wt_radio *to, struct sk_buff *skb, u64 ended);
void wt_rx_interrupt(struct wt_radio *r);
u64 wt_rx_due(const struct wt_radio *r);
void wt_rx_step(struct wt_radio *r, u64 now);
/* without the lock */
void wt_rx_flush(void);

#endif
