/* SPDX-License-Identifier: GPL-2.0 */
/*
 * csi: a card's reports of what it measured of a PPDU.
 */
#ifndef WAVETANK_RADIO_CSI_H
#define WAVETANK_RADIO_CSI_H

#include "radio.h"

int wt_csi_init(void);
void wt_csi_exit(void);
void wt_csi_report(struct wt_radio *to, const struct wt_radio *from, const struct wt_ppdu *p, u64 at, s16 ctl, s16 ext);

#endif
