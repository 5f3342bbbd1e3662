// SPDX-License-Identifier: GPL-2.0
/*
 * pace: takes packets between mac80211 and IP, and gives them back when the host is through with them (air/host.c).
 *
 * Source: net/core/dev.c __netif_receive_skb_core, which asks a netdev's rx_handler before any protocol.
 */
#include <linux/netdevice.h>
#include "air/host.h"
#include "clock.h"
#include "pace.h"

static rx_handler_result_t take(struct sk_buff **pskb)
{
	struct wt_radio *r = rcu_dereference((*pskb)->dev->rx_handler_data);
	struct sk_buff *skb;

	if (*pskb == r->passing)
		return RX_HANDLER_PASS;
	skb = skb_share_check(*pskb, GFP_ATOMIC);
	if (!skb)
		return RX_HANDLER_CONSUMED;
	spin_lock_bh(&wt_lock);
	wt_host_take(r, skb);
	wt_clock_rearm();
	spin_unlock_bh(&wt_lock);
	return RX_HANDLER_CONSUMED;
}

/* The interface comes. */
int wt_pace_start(struct wt_radio *r)
{
	struct net_device *dev = wt_netdev_of(r);

	if (!wt_host_takes_time(r))
		return 0;
	return dev ? netdev_rx_handler_register(dev, take, r) : -ENODEV;
}

/* It goes. */
void wt_pace_stop(struct wt_radio *r)
{
	struct net_device *dev = wt_netdev_of(r);

	if (!dev || !wt_host_takes_time(r))
		return;
	netdev_rx_handler_unregister(dev);
	spin_lock_bh(&wt_lock);
	wt_host_purge(r);
	spin_unlock_bh(&wt_lock);
}
