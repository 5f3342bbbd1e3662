/* SPDX-License-Identifier: GPL-2.0 */
/*
 * channel: what a link does to a PPDU at a time, out of a file.
 */
#ifndef WAVETANK_RADIO_CHANNEL_H
#define WAVETANK_RADIO_CHANNEL_H

#include "radio.h"

enum wt_channel_modes { WT_WHOLE, WT_NARROW, WT_OFDM, WT_DSSS };	/* what an index counts: MCSs over a link's width, or over 20 MHz of its 40; rates */

int wt_channel_load(const char *path);
void wt_channel_unload(void);
void wt_channel_start(u64 at);
bool wt_channel_present(const struct wt_radio *from, const struct wt_radio *to);
u32 wt_channel_survives(const struct wt_radio *from, const struct wt_radio *to, u64 at, enum wt_channel_modes of, u32 idx, u32 bytes);
void wt_channel_learn(const struct wt_radio *from, const struct wt_radio *to, u64 at);
u32 wt_channel_best(const struct wt_radio *from, const struct wt_radio *to);
bool wt_channel_snr(const struct wt_radio *from, const struct wt_radio *to, u64 at, s16 *ctl, s16 *ext);
u32 wt_channel_csi(const struct wt_radio *from, const struct wt_radio *to, u64 at, const __le16 **csi);

#endif
