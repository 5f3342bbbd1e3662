/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rates: the rate chain of a PPDU.
 */
#ifndef WAVETANK_RADIO_RATES_H
#define WAVETANK_RADIO_RATES_H

#include "radio.h"

void wt_rates_set(struct wt_radio *r, struct wt_ppdu *p, struct sk_buff *skb);
bool wt_rates_probing(const struct wt_radio *r, struct sk_buff *skb);

#endif
