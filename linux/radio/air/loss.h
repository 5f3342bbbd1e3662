/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loss: what of a PPDU arrives.
 */
#ifndef WAVETANK_RADIO_LOSS_H
#define WAVETANK_RADIO_LOSS_H

#include "radio.h"

void wt_loss_draw(struct wt_radio *r, struct wt_ppdu *p);
bool wt_loss_answer(struct wt_radio *r, const struct wt_ppdu *p, u32 bytes);
void wt_loss_plant(int radio, int index);

#endif
