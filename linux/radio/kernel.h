/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel: the radio is written for 6.12; what kernels before it, from 5.4 on, call otherwise or do not have. Only names and forms: what such
 * a kernel does not do is not done here in its place (older/).
 */
#ifndef WAVETANK_RADIO_KERNEL_H
#define WAVETANK_RADIO_KERNEL_H

#include <linux/bitfield.h>
#include <linux/interrupt.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <net/mac80211.h>

#define WT_BEFORE(major, minor) (LINUX_VERSION_CODE < KERNEL_VERSION(major, minor, 0))

/* What a station can over its only link; before there were links, of the station itself. */
#if WT_BEFORE(5, 19)
#define wt_link_of(sta) (sta)
#else
#define wt_link_of(sta) (&(sta)->deflink)
#endif

#if WT_BEFORE(5, 9)
#define tasklet_setup(t, of) tasklet_init(t, (void (*)(unsigned long))(of), (unsigned long)(t))
#define from_tasklet(var, t, member) container_of(t, typeof(*var), member)
#endif
#if WT_BEFORE(5, 13)
#define RX_FLAG_8023 BIT(31)	/* the radio's own mark, which mac80211 never sees */
#endif
#if WT_BEFORE(6, 0)
#define ieee80211_beacon_get(hw, vif, link) ieee80211_beacon_get(hw, vif)
struct wireless_dev *wt_older_wdev(struct ieee80211_vif *vif);	/* older/wdev.c */
#define ieee80211_vif_to_wdev wt_older_wdev
#endif
#if WT_BEFORE(6, 1)
#define netif_napi_add(dev, napi, poll) netif_napi_add(dev, napi, poll, NAPI_POLL_WEIGHT)
#endif
#if WT_BEFORE(6, 2)
#define timer_delete_sync del_timer_sync
#endif
#if WT_BEFORE(6, 3)	/* under a name of its own: stable 6.1 has it, too */
#define list_count_nodes wt_list_count_nodes
static inline size_t wt_list_count_nodes(struct list_head *head)
{
	struct list_head *at;
	size_t n = 0;

	list_for_each(at, head)
		n++;
	return n;
}
#endif
#if WT_BEFORE(6, 7)
#define _ieee80211_set_sband_iftype_data(band, data, n) ((band)->iftype_data = (data), (band)->n_iftype_data = (n))
#define ieee80211_tx_status_skb ieee80211_tx_status
#endif

#endif
