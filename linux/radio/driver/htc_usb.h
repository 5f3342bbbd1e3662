/* SPDX-License-Identifier: GPL-2.0 */
/*
 * htc_usb: ath9k_htc's host and bus.
 */
#ifndef WAVETANK_RADIO_HTC_USB_H
#define WAVETANK_RADIO_HTC_USB_H

#include "driver/htc_state.h"

void wt_htc_usb_begin(struct wt_htc *h, u64 now);
void wt_htc_usb_arrived(struct wt_htc *h, u64 now);
void wt_htc_usb_hand_back(struct wt_radio *r, struct sk_buff *skb);
void wt_htc_usb_take(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb);
void wt_htc_usb_fetch(struct wt_htc *h, u64 now);
void wt_htc_usb_interrupt(struct wt_radio *r, u64 now);
void wt_htc_usb_lost(struct wt_radio *r, u64 now);
void wt_htc_usb_cleanup(struct wt_radio *r, u64 now);
void wt_htc_usb_receive(struct wt_radio *r, struct sk_buff *skb, u64 ended);
u64 wt_htc_usb_upload_at(const struct wt_htc *h);
void wt_htc_usb_uploaded(struct wt_htc *h, u64 now);

#endif
