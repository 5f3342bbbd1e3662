/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hack: TCP/HACK: a station's TCP ACKs ride on its responses.
 */
#ifndef WAVETANK_RADIO_HACK_H
#define WAVETANK_RADIO_HACK_H

#include <linux/seq_file.h>
#include "radio.h"

int wt_hack_hook(void);
void wt_hack_unhook(void);
int wt_hack_init(struct wt_radio *r);
void wt_hack_start(struct wt_radio *r);	/* its interface comes */
void wt_hack_stop(struct wt_radio *r);	/* it goes */
void wt_hack_exit(struct wt_radio *r);
bool wt_hack_down(struct net_device *dev, struct sk_buff *skb,
		  int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb));
void wt_hack_show(struct seq_file *f, struct wt_radio *r);
void wt_hack_amnesia(unsigned int radio);

#endif
