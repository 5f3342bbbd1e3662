/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tao: a station's TCP ACKs wait for the A-MPDU that they answer.
 */
#ifndef WAVETANK_RADIO_TAO_H
#define WAVETANK_RADIO_TAO_H

#include "radio.h"

int wt_tao_hook(void);
void wt_tao_unhook(void);
int wt_tao_init(struct wt_radio *r);
void wt_tao_stop(struct wt_radio *r);	/* its interface goes */
void wt_tao_exit(struct wt_radio *r);

#endif
