/* SPDX-License-Identifier: GPL-2.0 */
/*
 * block_ack: the sender's half of a Block Ack session.
 */
#ifndef WAVETANK_RADIO_BLOCK_ACK_H
#define WAVETANK_RADIO_BLOCK_ACK_H

#include "radio.h"

void wt_ba_start(struct wt_tid *tid, u16 ssn);
bool wt_ba_given_up(struct wt_tid *tid, u16 seq);
bool wt_ba_within(const struct wt_tid *tid, u16 seq);
void wt_ba_add(struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_unassign(struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_keep(const struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_renumber(struct sk_buff *skb, u16 seq);
void wt_ba_number(struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_complete(struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_response(struct wt_radio *r, struct wt_ppdu *p, bool response);
void wt_ba_take_bars(struct list_head *bars);
void wt_ba_send_bars(struct list_head *bars);	/* without the lock */
void wt_ba_flush(struct wt_radio *r, struct wt_tid *tid);

#endif
