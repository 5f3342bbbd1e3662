// SPDX-License-Identifier: GPL-2.0
/*
 * card: a card comes and goes, and what it says of itself.
 *
 * Source: capabilities after drivers/net/wireless/ath/ath9k/init.c ath9k_set_hw_capab (SUPPORTS_HT_CCK_RATES among
 *   them, which the drivers of ath9k_htc, ath10k and MT7603 do not say). Airtime is reported and fairness left to mac80211 as ath9k
 *   and ath10k do; AQL is on in modes ath10k and mt76 only.
 * Differs:
 *   D1  its own regulatory domain, so that an access point at 5 GHz, 40 MHz wide, needs no country.
 */
#include "ack/hack.h"
#include "ack/tao.h"
#include "air/edca.h"
#include "air/napi.h"
#include "air/phy.h"
#include "air/rx.h"
#include "card.h"
#include "clock.h"
#include "driver.h"
#include "mac.h"
#include "minstrel.h"
#include "mpdu/rate_set.h"

static const struct wt_driver *const drivers[WT_MODES] = {
	[WT_ATH9K] = &wt_ath9k,
	[WT_ATH9K_HTC] = &wt_ath9k_htc,
	[WT_ATH10K] = &wt_ath10k,
	[WT_TIDQ] = &wt_ath9k_tidq,
	[WT_MT76] = &wt_mt76,
	[WT_IWL] = &wt_iwlwifi,
};

static const struct ieee80211_regdomain wt_regdomain = {
	.n_reg_rules = 2,
	.alpha2 = "99",
	.reg_rules = {
		REG_RULE(2402, 2482, 40, 0, 20, 0),
		REG_RULE(5170, 5835, 160, 0, 20, 0),
	},
};

/* Its firmware chooses the rates, and each link has a fixed one. */
static bool rates_are_its_own(const struct wt_radio *r)
{
	unsigned int i;

	if (!r->driver->chooses_rates || r->own_rc)
		return false;
	for (i = 0; i < wt_p.n_fixed; i++)
		if (wt_p.fixed_mcs[i] == -1)
			return false;
	return wt_p.n_fixed || wt_p.n_legacy;
}

/* Whatever was made of it goes. */
static void destroy(struct wt_radio *r)
{
	struct wt_ppdu *p, *next;
	int q;

	wt_rx_purge(r);
	tasklet_kill(&r->worker);
	if (r->driver->purge)
		r->driver->purge(r);
	wt_napi_exit(r);
	wt_tao_exit(r);
	wt_hack_exit(r);
	for (q = 0; q < WT_NUM_Q; q++)
		list_for_each_entry_safe(p, next, &r->ac[q].hwq, list)
			wt_ppdu_free_all(p);
	ieee80211_free_hw(r->hw);
	kfree(r);
}

struct wt_radio *wt_card_add(int index)
{
	struct wt_radio *r = kzalloc(sizeof(*r), GFP_KERNEL);
	u8 addr[ETH_ALEN] = { 0x02, 0x77, 0x74, 0, 0, index };
	struct ieee80211_hw *hw;
	int q, err;

	if (!r)
		return ERR_PTR(-ENOMEM);
	hw = ieee80211_alloc_hw(sizeof(struct wt_radio *), &wt_mac_ops);
	if (!hw) {
		kfree(r);
		return ERR_PTR(-ENOMEM);
	}
	*(struct wt_radio **)hw->priv = r;
	r->hw = hw;
	r->index = index;
	r->driver = drivers[min_t(u32, wt_p.n_mode ? wt_listed(mode, n_mode, index) : WT_ATH9K, WT_MODES - 1)];
	r->dcf = wt_p.dcf;
	wt_rx_init(r);
	for (q = 0; q < IEEE80211_NUM_ACS; q++)
		INIT_LIST_HEAD(&r->fw_tids[q]);
	__skb_queue_head_init(&r->unreported);
	tasklet_setup(&r->worker, wt_clock_work);
	wt_seed(&r->rnd_error, index, WT_NUM_Q);
	wt_seed(&r->rnd_answer, index, WT_NUM_Q + 1);
	for (q = 0; q < WT_NUM_Q; q++)
		wt_edcaf_init(r, q);
	err = r->driver->init ? r->driver->init(r) : 0;
	err = err ?: wt_napi_init(r);
	err = err ?: wt_tao_init(r);
	err = err ?: wt_hack_init(r);
	if (err)
		goto out;

	if (wt_p.n_rc && strcmp(wt_listed(rc, n_rc, index), "fixed")) {
		r->own_rc = true;
		hw->rate_control_algorithm = wt_listed(rc, n_rc, index);
	}
	if (rates_are_its_own(r))
		ieee80211_hw_set(hw, HAS_RATE_CONTROL);	/* else AQL reckons with the rates that nobody sends at */
	SET_IEEE80211_PERM_ADDR(hw, addr);
	ieee80211_hw_set(hw, SUPPORTS_RC_TABLE);
	ieee80211_hw_set(hw, REPORTS_TX_ACK_STATUS);
	ieee80211_hw_set(hw, SIGNAL_DBM);
	ieee80211_hw_set(hw, SUPPORT_FAST_XMIT);
	ieee80211_hw_set(hw, SUPPORTS_CLONED_SKBS);
	if (r->driver->mode == WT_ATH9K || r->driver->mode == WT_TIDQ)	/* Minstrel-HT has CCK rates beside 802.11n's at 2.4 GHz */
		ieee80211_hw_set(hw, SUPPORTS_HT_CCK_RATES);
	if (wt_p.ampdu)
		ieee80211_hw_set(hw, AMPDU_AGGREGATION);
	if (wt_p.pacing_shift >= 0)
		hw->tx_sk_pacing_shift = min(wt_p.pacing_shift, 31);
	hw->queues = IEEE80211_NUM_ACS;
	hw->max_rates = 4;
	if (r->driver->cuts) {
		ieee80211_hw_set(hw, TX_AMSDU);
		ieee80211_hw_set(hw, TX_FRAG_LIST);
		hw->max_tx_fragments = 22;	/* iwlwifi/pcie/internal.h IWL_TRANS_PCIE_MAX_FRAGS, of 25 buffers */
		hw->netdev_features = NETIF_F_SG | NETIF_F_IP_CSUM | NETIF_F_IPV6_CSUM | (wt_p.tso ? NETIF_F_TSO | NETIF_F_TSO6 : 0);
	}
	if (r->driver->amsdus)
		ieee80211_hw_set(hw, SUPPORTS_AMSDU_IN_AMPDU);
	if (wt_standard_of(index) == WT_HE)
		hw->max_rx_aggregation_subframes = hw->max_tx_aggregation_subframes = WT_MAX_MPDUS;
	if (r->driver->cuts && wt_p.fifo_frames[r->driver->mode] <= WT_WINDOW)	/* cfg/22000.c max_tx_agg_size */
		hw->max_tx_aggregation_subframes = WT_WINDOW;
	hw->max_rate_tries = 10;
	if (wt_rate_set_used(r)) {	/* mt76/mt7615/init.c mt7615_init_wiphy */
		hw->max_rates = 3;
		hw->max_report_rates = 7;
		hw->max_rate_tries = 11;
		ieee80211_hw_set(hw, TX_STATUS_NO_AMPDU_LEN);
	}
	hw->sta_data_size = sizeof(struct wt_sta);
	hw->vif_data_size = sizeof(struct wt_vif);
	hw->txq_data_size = sizeof(struct wt_tid);
	hw->wiphy->interface_modes = BIT(NL80211_IFTYPE_STATION) | BIT(NL80211_IFTYPE_AP);
	hw->wiphy->flags &= ~WIPHY_FLAG_PS_ON_BY_DEFAULT;
	wt_phy_bands(r);
	hw->wiphy->bands[NL80211_BAND_5GHZ] = &r->bands[NL80211_BAND_5GHZ];
	hw->wiphy->bands[NL80211_BAND_2GHZ] = &r->bands[NL80211_BAND_2GHZ];
	hw->wiphy->regulatory_flags |= REGULATORY_CUSTOM_REG | REGULATORY_COUNTRY_IE_IGNORE;
	if (wt_p.rts && r->driver->rts)
		hw->wiphy->rts_threshold = 0;
	wiphy_apply_custom_regulatory(hw->wiphy, &wt_regdomain);
	if (r->driver->tx_airtime)
		wiphy_ext_feature_set(hw->wiphy, NL80211_EXT_FEATURE_AIRTIME_FAIRNESS);
#if !WT_BEFORE(5, 5)
	if (r->driver->aql)
		wiphy_ext_feature_set(hw->wiphy, NL80211_EXT_FEATURE_AQL);
#endif
	BUILD_BUG_ON(sizeof(struct wt_frame) > sizeof(((struct ieee80211_tx_info *)NULL)->status.status_driver_data));

	err = ieee80211_register_hw(hw);
	if (err)
		goto out;
	wt_minstrel_record(hw);
	return r;
out:
	destroy(r);
	return ERR_PTR(err);
}

void wt_card_remove(struct wt_radio *r)
{
	wt_minstrel_release(r->hw);
	ieee80211_unregister_hw(r->hw);
	destroy(r);
}
