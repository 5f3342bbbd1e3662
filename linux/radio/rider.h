/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rider: who looks on as frames pass, and rides on answers (ack/hack.c), and who is told of received frames on their way up
 * (ack/tao.c). NULL where nobody does.
 */
#ifndef WAVETANK_RADIO_RIDER_H
#define WAVETANK_RADIO_RIDER_H

#include "radio.h"

struct wt_rider {
	/* an exchange */
	struct wt_radio *(*head)(struct wt_radio *r, int q, const struct wt_ppdu *p);	/* goes on the air; on whose answer something may
											 * ride, or NULL */
	u64 (*answer)(struct wt_radio *r, u32 rate, u32 plain, bool repeats);	/* that one answers: by how much longer, ns, than
										 * `plain` octets at `rate` (100 kbit/s) */
	void (*heard)(struct wt_radio *r);		/* its answer was */
	/* a frame of 802.11 */
	void (*came)(struct wt_radio *from, struct sk_buff *skb);		/* at an access point */
	void (*settled)(struct wt_radio *r, struct sk_buff *skb, bool acked);	/* at its sender */
	/* time */
	u64 (*due)(const struct wt_radio *r);		/* U64_MAX: nothing is */
	void (*step)(struct wt_radio *r, u64 now);
	/* without the lock */
	void (*went_up)(struct sk_buff *skb);		/* a packet that no frame brought is about to */
	void (*flush)(void);
};

struct wt_rx_frame {			/* a received frame on its way up */
	bool data, last;
	u8 tid;
	u16 ringed;			/* where the host takes time: frames of the card's ring that a packet stands for */
};

struct wt_watcher {			/* all without the lock */
	void (*look)(struct wt_radio *r, struct sk_buff *skb, struct wt_rx_frame *f);	/* what a frame is */
	void (*begin)(struct wt_radio *r, const struct wt_rx_frame *f);	/* it, or where the host takes time a packet that it let through, goes up */
	void (*end)(struct wt_radio *r, const struct wt_rx_frame *f);	/* has gone */
};

extern const struct wt_rider *wt_rider;
extern const struct wt_watcher *wt_watcher;

#endif
