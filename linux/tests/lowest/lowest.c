// SPDX-License-Identifier: GPL-2.0
/*
 * lowest: a rate control that sends all data at one MCS, 0 by default. It shows what a rate control of one's own takes
 * (linux/README.md). src: include/net/mac80211.h struct rate_control_ops
 */
#include <linux/module.h>
#include <net/mac80211.h>

static unsigned int mcs;
module_param(mcs, uint, 0444);
MODULE_PARM_DESC(mcs, "the MCS of 802.11n");

static void *lowest_alloc(struct ieee80211_hw *hw)
{
	return hw;
}

static void lowest_free(void *priv)
{
}

static void *lowest_alloc_sta(void *priv, struct ieee80211_sta *sta, gfp_t gfp)
{
	return priv;
}

static void lowest_free_sta(void *priv, struct ieee80211_sta *sta, void *priv_sta)
{
}

static void lowest_rate_init(void *priv, struct ieee80211_supported_band *sband, struct cfg80211_chan_def *chandef,
			     struct ieee80211_sta *sta, void *priv_sta)
{
}

static void lowest_get_rate(void *priv, struct ieee80211_sta *sta, void *priv_sta, struct ieee80211_tx_rate_control *txrc)
{
	struct ieee80211_tx_rate *rate = IEEE80211_SKB_CB(txrc->skb)->control.rates;
	struct ieee80211_hdr *hdr = (struct ieee80211_hdr *)txrc->skb->data;

	if (!sta || !sta->deflink.ht_cap.ht_supported)
		return;
	rate[0].idx = mcs;
	rate[0].count = 10;
	rate[0].flags = IEEE80211_TX_RC_MCS;
	rate[1].idx = -1;
	/* aggregates are rate control's to ask for (rc80211_minstrel_ht.c minstrel_aggr_check) */
	if (ieee80211_is_data_qos(hdr->frame_control) && txrc->skb->protocol != cpu_to_be16(ETH_P_PAE))
		ieee80211_start_tx_ba_session(sta, txrc->skb->priority & IEEE80211_QOS_CTL_TAG1D_MASK, 0);
}

static void lowest_tx_status(void *priv, struct ieee80211_supported_band *sband, struct ieee80211_sta *sta, void *priv_sta,
			     struct sk_buff *skb)
{
}

static const struct rate_control_ops lowest = {
	.name		= "lowest",
	.alloc		= lowest_alloc,
	.free		= lowest_free,
	.alloc_sta	= lowest_alloc_sta,
	.free_sta	= lowest_free_sta,
	.rate_init	= lowest_rate_init,
	.get_rate	= lowest_get_rate,
	.tx_status	= lowest_tx_status,
};

static int __init lowest_init(void)
{
	return ieee80211_rate_control_register(&lowest);
}

static void __exit lowest_exit(void)
{
	ieee80211_rate_control_unregister(&lowest);
}

module_init(lowest_init);
module_exit(lowest_exit);
MODULE_DESCRIPTION("A rate control of one rate");
MODULE_LICENSE("GPL");
