/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock: the module's one timer.
 */
#ifndef WAVETANK_RADIO_CLOCK_H
#define WAVETANK_RADIO_CLOCK_H

#include <linux/interrupt.h>

void wt_clock_work(struct tasklet_struct *t);
void wt_clock_init(void);
void wt_clock_stop(void);
void wt_clock_rearm(void);	/* with the lock */
void wt_clock_flush(void);	/* without it */

#endif
