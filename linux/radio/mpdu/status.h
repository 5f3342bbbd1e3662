/* SPDX-License-Identifier: GPL-2.0 */
/*
 * status: frames that are over, back to mac80211.
 */
#ifndef WAVETANK_RADIO_STATUS_H
#define WAVETANK_RADIO_STATUS_H

#include "radio.h"

void wt_status_init(void);
void wt_status_done(struct wt_radio *r, struct sk_buff *skb, bool acked);
void wt_status_hand_back(struct sk_buff *skb);
void wt_status_take(struct sk_buff_head *to);
void wt_status_tell(struct sk_buff_head *done);	/* without the lock */

#endif
