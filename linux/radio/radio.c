// SPDX-License-Identifier: GPL-2.0
/*
 * radio: the cards that there are, whom they hear, their interfaces.
 */
#include "radio.h"

DEFINE_SPINLOCK(wt_lock);
u64 wt_now;
struct wt_radio *wt_radios[WT_MAX_RADIOS];
unsigned int wt_n_radios;

bool wt_hears(const struct wt_radio *to, const struct wt_radio *from)
{
	return to != from && to->started && to->vif && to->freq == from->freq;
}

/* The radio of that address, if it hears `from`. */
struct wt_radio *wt_receiver(const struct wt_radio *from, const u8 *addr)
{
	unsigned int i;

	for (i = 0; i < wt_n_radios; i++)
		if (wt_hears(wt_radios[i], from) && ether_addr_equal(wt_radios[i]->vif->addr, addr))
			return wt_radios[i];
	return NULL;
}

/* The radio's interface. */
struct net_device *wt_netdev_of(const struct wt_radio *r)
{
	struct wireless_dev *wdev = r->vif ? ieee80211_vif_to_wdev(r->vif) : NULL;

	return wdev ? wdev->netdev : NULL;
}

/* Stops or wakes the netdev's queues, where they are not already so. */
void wt_netdev_stop(struct wt_radio *r, bool stop)
{
	struct net_device *dev = wt_netdev_of(r);

	if (stop == r->netdev_stopped || !dev)
		return;
	r->netdev_stopped = stop;
	if (stop) {
		netif_tx_stop_all_queues(dev);
		r->count.netdev_stops++;
	} else {
		netif_tx_wake_all_queues(dev);
	}
}
