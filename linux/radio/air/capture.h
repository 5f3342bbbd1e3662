/* SPDX-License-Identifier: GPL-2.0 */
/*
 * capture: every exchange with the octets of its frames, for who looks at it afterwards.
 */
#ifndef WAVETANK_RADIO_CAPTURE_H
#define WAVETANK_RADIO_CAPTURE_H

#include <linux/fs.h>
#include "radio.h"

struct wt_exchange {
	u64 start;			/* of the first bit on the air */
	u64 base;			/* AIFSN slots were counted from here */
	u32 rts_ns, cts_ns, rts_rate;	/* 0: none; of a CTS to self in place of an RTS that has no CTS; 100 kbit/s */
	u32 data_ns, answer_ns;		/* 0: was not sent; none is asked for */
	bool collided;
	bool response, answered;	/* one was sent; its receiver got it */
};

bool wt_capture_wants(u64 start);
void wt_capture_exchange(struct wt_radio *r, int q, const struct wt_ppdu *p, const struct wt_exchange *x);
void wt_capture_rides(u64 longer);
void wt_capture_start(u64 at);
extern const struct file_operations wt_capture_fops;
int wt_capture_init(void);
void wt_capture_exit(void);

#endif
