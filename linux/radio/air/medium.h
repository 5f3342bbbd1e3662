/* SPDX-License-Identifier: GPL-2.0 */
/*
 * medium: the air that all radios share.
 */
#ifndef WAVETANK_RADIO_MEDIUM_H
#define WAVETANK_RADIO_MEDIUM_H

#include "radio.h"

enum wt_state { WT_IDLE, WT_DATA, WT_RESPONSE };

struct wt_medium {
	enum wt_state state;
	u64 until;			/* end of the present state */
	struct wt_tx {
		struct wt_radio *radio;
		int q;
		u64 start, end;
		u64 knows;		/* of what collides: when its sender gives the answer up; 0: it waits for none */
	} tx[WT_MAX_RADIOS];		/* who sends now */
	int n_tx;
	bool response;			/* the receiver will answer */
	bool deaf;			/* its answer does not arrive */
	u64 response_ns;
	struct wt_radio *rides;		/* on whose answer TCP ACKs may ride */
	u64 txop_end;			/* of who sends now */
	u64 busy_ns, collision_ns, busy_since;
	struct wt_radio *last_tx;
	u64 last_end;
};

extern struct wt_medium wt_air;

void wt_medium_offer(struct wt_radio *r, int q, struct wt_ppdu *p);
u64 wt_medium_around_ns(const struct wt_radio *r, const struct wt_ppdu *p, const struct ieee80211_tx_rate *rate);
u64 wt_medium_due(void);
bool wt_medium_late(struct wt_radio *r, u64 at);
void wt_medium_step(u64 at);

#endif
