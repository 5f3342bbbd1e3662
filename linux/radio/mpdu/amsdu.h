/* SPDX-License-Identifier: GPL-2.0 */
/*
 * amsdu: several MSDUs in one MPDU.
 */
#ifndef WAVETANK_RADIO_AMSDU_H
#define WAVETANK_RADIO_AMSDU_H

#include "radio.h"

struct sk_buff *wt_amsdu_dequeue(struct wt_radio *r, struct wt_tid *tid);

#endif
