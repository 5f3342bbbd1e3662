// SPDX-License-Identifier: GPL-2.0
/*
 * wdev: an interface's wireless device before 6.0, when its driver is told that it comes or goes, too: mac80211's own function knows none
 * then (5.10 util.c ieee80211_vif_to_wdev: neither running nor IEEE80211_SDATA_IN_DRIVER), and the pace of a host would never begin.
 */
#include "kernel.h"
#if WT_BEFORE(6, 0)
#include "ieee80211_i.h"

struct wireless_dev *wt_older_wdev(struct ieee80211_vif *vif)
{
	return vif ? &vif_to_sdata(vif)->wdev : NULL;
}
#endif
