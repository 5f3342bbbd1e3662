/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace: what was on the air, written down for debug.c.
 */
#ifndef WAVETANK_RADIO_TRACE_H
#define WAVETANK_RADIO_TRACE_H

#include <linux/seq_file.h>
#include "radio.h"

enum wt_ack_fate { WT_ACK_MADE, WT_ACK_CAME, WT_ACK_RESTORED, WT_ACK_RODE, WT_ACK_HEARD };

void wt_trace_init(void);
void wt_trace_exit(void);
void wt_trace_ppdu(struct wt_radio *r, int q, const struct wt_ppdu *p, u64 start, u64 ns, bool collided);
void wt_trace_ack(const struct wt_radio *r, enum wt_ack_fate what, const void *header, u32 len);
int wt_trace_show(struct seq_file *f, void *unused);
int wt_trace_show_acks(struct seq_file *f, void *unused);

#endif
