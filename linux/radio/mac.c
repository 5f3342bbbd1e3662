// SPDX-License-Identifier: GPL-2.0
/*
 * mac: what mac80211 calls, and what the card says of itself.
 *
 * Source: include/net/mac80211.h struct ieee80211_ops; capabilities after drivers/net/wireless/ath/ath9k/init.c
 *   ath9k_set_hw_capab. Airtime is reported and fairness left to mac80211 as ath9k and ath10k do;
 *   AQL is on in mode ath10k only.
 * Differs:
 *   D1  one interface a card.
 *   D2  its own regulatory domain, so that an access point at 5 GHz, 40 MHz wide, needs no country.
 *   D3  no power save, no encryption in hardware.
 *   D4  dcf=1, for a BSS without QoS: DIFS and DCF's windows (802.11-2016, 10.3.4), which mac80211 leaves for EDCA's best effort
 *       there: AIFSN 3 (mlme.c ieee80211_assoc_config_link: "still enable QoS"; at the access point hostapd's tx_queue_data2, CW 15 to 63).
 */
#include "radio.h"

static const struct ieee80211_regdomain wt_regdomain = {
	.n_reg_rules = 2,
	.alpha2 = "99",
	.reg_rules = {
		REG_RULE(2402, 2482, 40, 0, 20, 0),
		REG_RULE(5170, 5835, 80, 0, 20, 0),
	},
};

/* The radio's interface. */
struct net_device *wt_netdev_of(struct wt_radio *r)
{
	struct wireless_dev *wdev = r->vif ? ieee80211_vif_to_wdev(r->vif) : NULL;

	return wdev ? wdev->netdev : NULL;
}

static void wt_op_tx(struct ieee80211_hw *hw, struct ieee80211_tx_control *control, struct sk_buff *skb)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_air.lock);
	memset(wt_frame(skb), 0, sizeof(struct wt_frame));
	wt_tx_one(r, control->sta, skb);
	wt_medium_rearm();
	spin_unlock_bh(&wt_air.lock);
}

static void wt_op_wake_tx_queue(struct ieee80211_hw *hw, struct ieee80211_txq *txq)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_air.lock);
	if (r->mode == WT_ATH9K)
		wt_tid_of(txq);
	else if (r->mode == WT_TIDQ)
		wt_tidq_pull(r, txq);
	else
		wt_fifo_pull(r, txq->ac);
	if (r->mode != WT_TIDQ && !(r->mode == WT_ATH9K && r->corked))
		wt_tx_schedule(r, txq->ac);
	wt_medium_rearm();
	spin_unlock_bh(&wt_air.lock);
}

static int wt_op_start(struct ieee80211_hw *hw)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	r->started = true;
	return 0;
}

static void wt_op_stop(struct ieee80211_hw *hw, bool suspend)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_air.lock);
	r->started = false;
	r->tbtt = 0;
	wt_tx_flush_radio(r);
	wt_fifo_flush(r, NULL);
	spin_unlock_bh(&wt_air.lock);
	wt_medium_flush_lists();
}

static int wt_op_add_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	if (r->vif)
		return -EBUSY;
	wt_tidq_init_turns(((struct wt_vif *)vif->drv_priv)->turn);
	spin_lock_bh(&wt_air.lock);
	r->vif = vif;
	spin_unlock_bh(&wt_air.lock);
	wt_hack_start(r);
	return 0;
}

static void wt_op_remove_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_air.lock);
	if (vif->txq)
		wt_ba_flush(r, wt_tid_of(vif->txq));
	if (vif->txq)
		wt_fifo_flush(r, wt_tid_of(vif->txq));
	if (vif->txq && r->mode == WT_TIDQ)
		wt_tidq_forget(r, wt_tid_of(vif->txq));
	wt_tx_flush_radio(r);
	r->tbtt = 0;
	r->vif = NULL;
	spin_unlock_bh(&wt_air.lock);
	wt_tao_stop(r);
	wt_hack_stop(r);
	wt_medium_flush_lists();
}

static int wt_op_config(struct ieee80211_hw *hw, u32 changed)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_air.lock);
	if (hw->conf.chandef.chan)
		r->freq = hw->conf.chandef.chan->center_freq;
	spin_unlock_bh(&wt_air.lock);
	return 0;
}

static void wt_op_configure_filter(struct ieee80211_hw *hw, unsigned int changed, unsigned int *flags, u64 multicast)
{
	*flags &= FIF_ALLMULTI | FIF_BCN_PRBRESP_PROMISC | FIF_PROBE_REQ;
}

static void wt_op_link_info_changed(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
				    struct ieee80211_bss_conf *info, u64 changed)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;
	struct wt_vif *v = (void *)vif->drv_priv;

	if (changed & BSS_CHANGED_QOS)
		r->dcf = wt_p.dcf || !info->qos;
	if (!(changed & (BSS_CHANGED_BEACON_ENABLED | BSS_CHANGED_BEACON_INT)))
		return;
	spin_lock_bh(&wt_air.lock);
	v->beaconing = info->enable_beacon;
	v->beacon_tu = info->beacon_int ?: 100;
	r->tbtt = v->beaconing ? wt_medium_time() + v->beacon_tu * 1024000ull : 0;
	wt_medium_rearm();
	spin_unlock_bh(&wt_air.lock);
}

static void wt_op_vif_cfg_changed(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u64 changed)
{
}

static int wt_op_conf_tx(struct ieee80211_hw *hw, struct ieee80211_vif *vif, unsigned int link_id, u16 ac,
			 const struct ieee80211_tx_queue_params *params)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;
	struct wt_edcaf *e;

	if (ac >= IEEE80211_NUM_ACS)
		return 0;
	e = &r->ac[ac];
	spin_lock_bh(&wt_air.lock);
	e->aifsn = params->aifs;
	/* ath_htc_txq_update halves it, ath9k_hw_set_txq_props rounds up to 2^n - 1 */
	e->cw_min = r->mode == WT_ATH9K_HTC ? roundup_pow_of_two(params->cw_min / 2 + 1) - 1 : params->cw_min;
	e->cw = e->cw_min;
	e->cw_max = params->cw_max;
	e->txop_us = params->txop * 32;
	if (wt_p.dcf) {
		e->aifsn = 2;
		e->cw = e->cw_min = 15;
		e->cw_max = 1023;
		e->txop_us = 0;
	}
	spin_unlock_bh(&wt_air.lock);
	return 0;
}

/* IEEE80211_HT_MPDU_DENSITY_*: none, 1/4, 1/2, 1, 2, 4, 8, 16 us */
static const u32 density_ns[8] = { 0, 250, 500, 1000, 2000, 4000, 8000, 16000 };

static int wt_op_sta_add(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta)
{
	wt_tidq_init_turns(((struct wt_sta *)sta->drv_priv)->turn);
	return 0;
}

static int wt_op_sta_remove(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_air.lock);
	wt_tx_flush_sta(r, sta);
	spin_unlock_bh(&wt_air.lock);
	wt_medium_flush_lists();
	return 0;
}

static int wt_op_ampdu_action(struct ieee80211_hw *hw, struct ieee80211_vif *vif,
			      struct ieee80211_ampdu_params *params)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;
	struct ieee80211_sta *sta = params->sta;
	struct wt_sta *s = (void *)sta->drv_priv;
	struct wt_tid *tid = sta->txq[params->tid] ? wt_tid_of(sta->txq[params->tid]) : NULL;
	bool flush = false;

	if (!tid)
		return -EOPNOTSUPP;
	switch (params->action) {
	case IEEE80211_AMPDU_RX_START:
	case IEEE80211_AMPDU_RX_STOP:
		break;
	case IEEE80211_AMPDU_TX_START:
		if (!wt_p.ampdu)
			return -EOPNOTSUPP;
		spin_lock_bh(&wt_air.lock);
		s->max_ampdu = (1u << (IEEE80211_HT_MAX_AMPDU_FACTOR + sta->deflink.ht_cap.ampdu_factor)) - 1;
		s->density_ns = density_ns[sta->deflink.ht_cap.ampdu_density & 7];
		params->ssn = (params->ssn - tid->unused) & IEEE80211_SN_MASK;
		if (r->mode == WT_TIDQ)
			params->ssn = wt_tidq_session(tid, params->ssn);
		wt_ba_start(tid, params->ssn);
		spin_unlock_bh(&wt_air.lock);
		return IEEE80211_AMPDU_TX_START_IMMEDIATE;
	case IEEE80211_AMPDU_TX_STOP_FLUSH:
	case IEEE80211_AMPDU_TX_STOP_FLUSH_CONT:
		flush = true;
		fallthrough;
	case IEEE80211_AMPDU_TX_STOP_CONT:
		spin_lock_bh(&wt_air.lock);
		wt_ba_flush(r, tid);
		if (r->mode == WT_TIDQ)
			wt_tidq_session_over(r, tid);
		spin_unlock_bh(&wt_air.lock);
		wt_medium_flush_lists();
		if (!flush)
			ieee80211_stop_tx_ba_cb_irqsafe(vif, sta->addr, params->tid);
		break;
	case IEEE80211_AMPDU_TX_OPERATIONAL:
		spin_lock_bh(&wt_air.lock);
		tid->baw_size = min_t(u16, params->buf_size ?: WT_MAX_MPDUS, WT_MAX_MPDUS);
		spin_unlock_bh(&wt_air.lock);
		break;
	default:
		return -EOPNOTSUPP;
	}
	return 0;
}

static u64 wt_op_get_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	return div_u64(ktime_get_ns(), 1000);
}

static const struct ieee80211_ops wt_ops = {
	.tx = wt_op_tx,
	.wake_tx_queue = wt_op_wake_tx_queue,
	.start = wt_op_start,
	.stop = wt_op_stop,
	.add_interface = wt_op_add_interface,
	.remove_interface = wt_op_remove_interface,
	.config = wt_op_config,
	.configure_filter = wt_op_configure_filter,
	.link_info_changed = wt_op_link_info_changed,
	.vif_cfg_changed = wt_op_vif_cfg_changed,
	.conf_tx = wt_op_conf_tx,
	.sta_add = wt_op_sta_add,
	.sta_remove = wt_op_sta_remove,
	.ampdu_action = wt_op_ampdu_action,
	.get_tsf = wt_op_get_tsf,
	.add_chanctx = ieee80211_emulate_add_chanctx,
	.remove_chanctx = ieee80211_emulate_remove_chanctx,
	.change_chanctx = ieee80211_emulate_change_chanctx,
	.switch_vif_chanctx = ieee80211_emulate_switch_vif_chanctx,
};

struct wt_radio *wt_mac_add(int index)
{
	struct wt_radio *r = kzalloc(sizeof(*r), GFP_KERNEL);
	u8 addr[ETH_ALEN] = { 0x02, 0x77, 0x74, 0, 0, index };
	struct ieee80211_hw *hw;
	int q, err;

	if (!r)
		return ERR_PTR(-ENOMEM);
	hw = ieee80211_alloc_hw(sizeof(struct wt_radio *), &wt_ops);
	if (!hw) {
		kfree(r);
		return ERR_PTR(-ENOMEM);
	}
	*(struct wt_radio **)hw->priv = r;
	r->hw = hw;
	r->index = index;
	r->mode = min_t(u32, wt_p.n_mode ? wt_p.mode[min_t(u32, index, wt_p.n_mode - 1)] : WT_ATH9K, WT_MODES - 1);
	__skb_queue_head_init(&r->held_q);
	__skb_queue_head_init(&r->rx_q);
	__skb_queue_head_init(&r->rx_ready);
	wt_htc_init(r);
	wt_tao_init(r);
	wt_hack_init(r);
	r->dcf = wt_p.dcf;
	for (q = 0; q < IEEE80211_NUM_ACS; q++) {
		INIT_LIST_HEAD(&r->fw_tids[q]);
		INIT_LIST_HEAD(&r->tidq[q].round);
	}
	wt_seed(&r->rnd_error, index, WT_NUM_Q);
	wt_seed(&r->rnd_answer, index, WT_NUM_Q + 1);
	for (q = 0; q < WT_NUM_Q; q++)
		wt_edcaf_init(r, q);

	if (wt_p.n_rc && strcmp(wt_p.rc[min_t(u32, index, wt_p.n_rc - 1)], "fixed")) {
		r->own_rc = true;
		hw->rate_control_algorithm = wt_p.rc[min_t(u32, index, wt_p.n_rc - 1)];
	}
	SET_IEEE80211_PERM_ADDR(hw, addr);
	ieee80211_hw_set(hw, SUPPORTS_RC_TABLE);
	ieee80211_hw_set(hw, REPORTS_TX_ACK_STATUS);
	ieee80211_hw_set(hw, SIGNAL_DBM);
	ieee80211_hw_set(hw, SUPPORT_FAST_XMIT);
	ieee80211_hw_set(hw, SUPPORTS_CLONED_SKBS);
	if (wt_p.ampdu)
		ieee80211_hw_set(hw, AMPDU_AGGREGATION);
	if (wt_p.pacing_shift >= 0)
		hw->tx_sk_pacing_shift = min(wt_p.pacing_shift, 31);
	hw->queues = IEEE80211_NUM_ACS;
	hw->max_rates = 4;
	hw->max_rate_tries = 10;
	hw->sta_data_size = sizeof(struct wt_sta);
	hw->vif_data_size = sizeof(struct wt_vif);
	hw->txq_data_size = sizeof(struct wt_tid);
	hw->wiphy->interface_modes = BIT(NL80211_IFTYPE_STATION) | BIT(NL80211_IFTYPE_AP);
	hw->wiphy->flags &= ~WIPHY_FLAG_PS_ON_BY_DEFAULT;
	hw->wiphy->bands[NL80211_BAND_5GHZ] = &wt_band_5ghz;
	hw->wiphy->bands[NL80211_BAND_2GHZ] = &wt_band_2ghz;
	hw->wiphy->regulatory_flags |= REGULATORY_CUSTOM_REG | REGULATORY_COUNTRY_IE_IGNORE;
	wiphy_apply_custom_regulatory(hw->wiphy, &wt_regdomain);
	if (r->mode != WT_ATH9K_HTC && r->mode != WT_TIDQ)
		wiphy_ext_feature_set(hw->wiphy, NL80211_EXT_FEATURE_AIRTIME_FAIRNESS);
	if (r->mode == WT_ATH10K)
		wiphy_ext_feature_set(hw->wiphy, NL80211_EXT_FEATURE_AQL);
	BUILD_BUG_ON(sizeof(struct wt_frame) > sizeof(void *));

	err = ieee80211_register_hw(hw);
	if (err) {
		ieee80211_free_hw(hw);
		kfree(r);
		return ERR_PTR(err);
	}
	wt_minstrel_record(hw);
	wt_debug_radio(r);
	return r;
}

void wt_mac_remove(struct wt_radio *r)
{
	struct wt_ppdu *p, *next;
	int q, i;

	wt_minstrel_release(r->hw);
	ieee80211_unregister_hw(r->hw);
	__skb_queue_purge(&r->held_q);
	__skb_queue_purge(&r->rx_q);
	__skb_queue_purge(&r->rx_ready);
	wt_htc_purge(r);
	wt_tao_stop(r);
	wt_hack_stop(r);
	for (q = 0; q < WT_NUM_Q; q++)
		list_for_each_entry_safe(p, next, &r->ac[q].hwq, list) {
			for (i = 0; i < p->n; i++)
				dev_kfree_skb_any(p->mpdu[i]);
			wt_ppdu_free(p);
		}
	ieee80211_free_hw(r->hw);
	kfree(r);
}
