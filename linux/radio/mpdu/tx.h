/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tx: from queues to the hardware, and what follows when a PPDU is over.
 */
#ifndef WAVETANK_RADIO_TX_H
#define WAVETANK_RADIO_TX_H

#include "radio.h"

struct wt_tid *wt_tid_of(struct ieee80211_txq *txq);
struct wt_ppdu *wt_tx_ppdu(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *first);
void wt_tx_single(struct wt_ppdu *p, struct sk_buff *skb);
bool wt_tx_full(const struct wt_radio *r, int ac, bool ampdu);
bool wt_tx_tid(struct wt_radio *r, int ac, struct wt_tid *tid);
void wt_tx_one(struct wt_radio *r, struct ieee80211_sta *sta, struct sk_buff *skb);
void wt_tx_schedule(struct wt_radio *r, int ac);
void wt_tx_over(struct wt_radio *r, int q, struct wt_ppdu *p, bool response);
void wt_tx_flush_txq(struct wt_radio *r, struct ieee80211_txq *txq);
void wt_tx_flush_sta(struct wt_radio *r, struct ieee80211_sta *sta);
void wt_tx_flush_radio(struct wt_radio *r);

#endif
