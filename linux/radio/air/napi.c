// SPDX-License-Identifier: GPL-2.0
/*
 * napi: what ath10k's polls bring together goes up merged (GRO), for TCP to answer once.
 *
 * Source: drivers/net/wireless/ath/ath10k/pci.c ath10k_pci_napi_poll, htt_rx.c ath10k_process_rx; net/mac80211/rx.c ieee80211_rx_napi
 *   (napi_gro_receive); net/core/dev.c napi_complete_done, and __napi_poll, which lets go of what a full poll holds back where HZ < 1000.
 * Differs:
 *   D1  a poll is run where its frames come, in the softirq that the air runs in: no softirq of its own is raised for it.
 */
#include <linux/netdevice.h>
#include "air/napi.h"
#include "driver.h"

struct wt_napi {
	struct napi_struct napi;
	struct net_device *dev;		/* it wants one */
	unsigned int frames;		/* of the poll that is under way; 0: none is */
};

/* Nothing raises it. */
static int poll(struct napi_struct *napi, int budget)
{
	napi_complete_done(napi, 0);
	return 0;
}

int wt_napi_init(struct wt_radio *r)
{
	struct wt_napi *n;

	if (!r->driver->napi || !wt_p.gro)
		return 0;
	n = kzalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		return -ENOMEM;
#if WT_BEFORE(6, 10)
	n->dev = kzalloc(sizeof(*n->dev), GFP_KERNEL);
	if (n->dev)
		init_dummy_netdev(n->dev);
#else
	n->dev = alloc_netdev_dummy(0);
#endif
	if (!n->dev) {
		kfree(n);
		return -ENOMEM;
	}
	netif_napi_add(n->dev, &n->napi, poll);
	napi_enable(&n->napi);
	r->napi = n;
	return 0;
}

void wt_napi_exit(struct wt_radio *r)
{
	struct wt_napi *n = r->napi;

	if (!n)
		return;
	napi_disable(&n->napi);
	netif_napi_del(&n->napi);
#if WT_BEFORE(6, 10)
	kfree(n->dev);
#else
	free_netdev(n->dev);
#endif
	kfree(n);
	r->napi = NULL;
}

/* What a frame goes up through (NULL: nothing), and whether the poll is full with it. */
struct napi_struct *wt_napi_frame(struct wt_radio *r, bool *full)
{
	struct wt_napi *n = r->napi;

	*full = false;
	if (!n || (!n->frames && !napi_schedule_prep(&n->napi)))
		return NULL;
	*full = ++n->frames == n->napi.weight;
	return &n->napi;
}

/* The poll is over, if one is under way. */
void wt_napi_end(struct wt_radio *r)
{
	struct wt_napi *n = r->napi;

	if (!n || !n->frames)
		return;
	n->frames = 0;
	napi_complete_done(&n->napi, 0);
}
