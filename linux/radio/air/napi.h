/* SPDX-License-Identifier: GPL-2.0 */
/*
 * napi: the polls in which some drivers hand received frames up.
 */
#ifndef WAVETANK_RADIO_NAPI_H
#define WAVETANK_RADIO_NAPI_H

#include "radio.h"

struct wt_napi;

int wt_napi_init(struct wt_radio *r);
void wt_napi_exit(struct wt_radio *r);
/* without the lock, in softirq context */
struct napi_struct *wt_napi_frame(struct wt_radio *r, bool *full);
void wt_napi_end(struct wt_radio *r);

#endif
