/* SPDX-License-Identifier: GPL-2.0 */
/*
 * edca: one access category's wait for the medium.
 */
#ifndef WAVETANK_RADIO_EDCA_H
#define WAVETANK_RADIO_EDCA_H

#include "radio.h"

void wt_edcaf_init(struct wt_radio *r, int q);
u64 wt_edcaf_access(const struct wt_radio *r, const struct wt_edcaf *e);
void wt_edcaf_freeze(const struct wt_radio *r, struct wt_edcaf *e, u64 at);
void wt_edcaf_draw(struct wt_edcaf *e);
void wt_edcaf_succeeded(struct wt_edcaf *e);
void wt_edcaf_failed(const struct wt_radio *r, struct wt_edcaf *e);

#endif
