/* SPDX-License-Identifier: GPL-2.0 */
/*
 * host: what a host's CPU takes for each packet that mac80211 hands up.
 */
#ifndef WAVETANK_RADIO_HOST_H
#define WAVETANK_RADIO_HOST_H

#include "radio.h"
#include "rider.h"

bool wt_host_takes_time(const struct wt_radio *r);
void wt_host_init(struct wt_radio *r);
void wt_host_purge(struct wt_radio *r);
/* under the lock */
void wt_host_judge(struct wt_radio *r);
void wt_host_take(struct wt_radio *r, struct sk_buff *skb);
void wt_host_step(struct wt_radio *r, u64 now);
/* without */
void wt_host_over(struct wt_radio *r, const struct wt_rx_frame *f);
void wt_host_flush(struct wt_radio *r);

#endif
