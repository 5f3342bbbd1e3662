/* SPDX-License-Identifier: GPL-2.0 */
/*
 * above: what a driver and the queueing discipline on its netdev say to each other.
 */
#ifndef WAVETANK_RADIO_ABOVE_H
#define WAVETANK_RADIO_ABOVE_H

#include "radio.h"
#include "wavetank_aaq.h"

bool wt_above_listens(struct wt_radio *r);
void wt_above_tell(struct wt_radio *r, struct wt_tid *tid, enum wt_aaq_message m);
bool wt_above_announced(struct wt_radio *r, u32 id);

#endif
