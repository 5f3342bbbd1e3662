/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reorder: what mac80211's reorder buffer will do with a frame.
 */
#ifndef WAVETANK_RADIO_REORDER_H
#define WAVETANK_RADIO_REORDER_H

#include "radio.h"

bool wt_lets_go(struct wt_radio *r, const struct sk_buff *skb);

#endif
