/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ath9k: its queue, out of which waiting frames can be taken again (seize.c).
 */
#ifndef WAVETANK_RADIO_ATH9K_H
#define WAVETANK_RADIO_ATH9K_H

#include "driver.h"

void wt_ath9k_seize(struct wt_radio *r, const struct wt_picker *pick);

#endif
