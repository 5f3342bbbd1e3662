/* SPDX-License-Identifier: GPL-2.0 */
/*
 * card: a card comes and goes.
 */
#ifndef WAVETANK_RADIO_CARD_H
#define WAVETANK_RADIO_CARD_H

#include "radio.h"

struct wt_radio *wt_card_add(int index);
void wt_card_remove(struct wt_radio *r);

#endif
