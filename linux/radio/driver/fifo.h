/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fifo: a device's own queue below mac80211.
 */
#ifndef WAVETANK_RADIO_FIFO_H
#define WAVETANK_RADIO_FIFO_H

#include "driver.h"

unsigned int wt_fifo_pull(struct wt_radio *r, int ac, bool all, bool (*room)(const struct wt_radio *r),
			  void (*take)(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb));
bool wt_fifo_cipher(struct sk_buff *skb);
bool wt_fifo_waits(const struct wt_tid *tid);
void wt_fifo_turn(struct wt_radio *r, struct wt_tid *tid);
bool wt_fifo_settled(struct wt_radio *r, struct sk_buff *skb);
void wt_fifo_again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len);
void wt_fifo_feed(struct wt_radio *r, int ac);
u64 wt_fifo_due(const struct wt_radio *r);
void wt_fifo_report(struct wt_radio *r, u64 now);
void wt_fifo_purge(struct wt_radio *r);
void wt_fifo_ask(struct wt_radio *r, const struct wt_ppdu *p);
void wt_fifo_done(struct wt_radio *r, int q, struct wt_ppdu *p, bool response);

#endif
