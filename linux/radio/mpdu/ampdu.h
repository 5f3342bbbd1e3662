/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ampdu: which frames travel together.
 */
#ifndef WAVETANK_RADIO_AMPDU_H
#define WAVETANK_RADIO_AMPDU_H

#include "radio.h"

#define WT_DELIM	4	/* octets of an MPDU delimiter */

struct wt_ampdu_size {
	u32 bytes, pad;
};

u32 wt_ampdu_limit(const struct wt_radio *r, struct wt_edcaf *e, struct wt_ppdu *p, struct sk_buff *first);
bool wt_ampdu_fits(const struct wt_radio *r, const struct wt_ampdu_size *size, const struct wt_ppdu *p, struct sk_buff *skb,
		   u32 limit, u32 frames);
void wt_ampdu_add(const struct wt_radio *r, struct wt_ampdu_size *size, struct wt_ppdu *p, struct sk_buff *skb);
void wt_ampdu_formed(struct wt_radio *r, const struct wt_ampdu_size *size, struct wt_ppdu *p);
int wt_ampdu_next(struct wt_radio *r, struct wt_tid *tid, struct sk_buff **out);
void wt_ampdu_form(struct wt_radio *r, struct wt_edcaf *e, struct wt_tid *tid, struct wt_ppdu *p,
		   struct sk_buff *first);

#endif
