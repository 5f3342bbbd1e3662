// SPDX-License-Identifier: GPL-2.0
/*
 * mac: what mac80211 calls.
 *
 * Source: include/net/mac80211.h struct ieee80211_ops.
 * Differs:
 *   D1  one interface a card.
 *   D2  no power save. Encryption is "hardware's", of pairwise CCMP keys: frames grow, nothing is enciphered.
 *   D3  dcf=1, for a BSS without QoS: DIFS and DCF's windows (802.11-2016, 10.3.4), which mac80211 leaves for EDCA's best effort
 *       there: AIFSN 3 (mlme.c ieee80211_assoc_config_link: "still enable QoS"; at the access point hostapd's tx_queue_data2, CW 15 to 63).
 */
#include "ack/hack.h"
#include "ack/tao.h"
#include "clock.h"
#include "driver.h"
#include "mac.h"
#include "mpdu/amsdu.h"
#include "mpdu/block_ack.h"
#include "mpdu/rate_set.h"
#include "mpdu/tx.h"
#include "pace.h"

/*
 * A card of 802.11b has no short slots, and says so as it joins (9.4.1.4): hostapd's access point then has long ones. mac80211 says of each station
 * at 2.4 GHz that it has some (mlme.c ieee80211_assoc_link_elems).
 */
static void no_short_slots(const struct wt_radio *r, struct sk_buff *skb)
{
	struct ieee80211_mgmt *mgmt = (void *)skb->data;

	if (!wt_is_dsss(r->index))
		return;
	if (ieee80211_is_assoc_req(mgmt->frame_control))
		mgmt->u.assoc_req.capab_info &= cpu_to_le16(~WLAN_CAPABILITY_SHORT_SLOT_TIME);
	else if (ieee80211_is_reassoc_req(mgmt->frame_control))
		mgmt->u.reassoc_req.capab_info &= cpu_to_le16(~WLAN_CAPABILITY_SHORT_SLOT_TIME);
}

static void wt_op_tx(struct ieee80211_hw *hw, struct ieee80211_tx_control *control, struct sk_buff *skb)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	no_short_slots(r, skb);
	spin_lock_bh(&wt_lock);
	memset(wt_frame(skb), 0, sizeof(struct wt_frame));
	wt_tx_one(r, control->sta, skb);
	wt_clock_rearm();
	spin_unlock_bh(&wt_lock);
}

static void wt_op_wake_tx_queue(struct ieee80211_hw *hw, struct ieee80211_txq *txq)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_lock);
	r->driver->wake(r, txq);
	wt_clock_rearm();
	spin_unlock_bh(&wt_lock);
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

	spin_lock_bh(&wt_lock);
	r->started = false;
	r->tbtt = 0;
	wt_tx_flush_radio(r);
	if (r->driver->flush)
		r->driver->flush(r, NULL);
	spin_unlock_bh(&wt_lock);
	wt_clock_flush();
}

static int wt_op_add_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	if (r->vif)
		return -EBUSY;
	wt_turns_init(((struct wt_vif *)vif->drv_priv)->turn);
	spin_lock_bh(&wt_lock);
	r->vif = vif;
	spin_unlock_bh(&wt_lock);
	wt_hack_start(r);
	return wt_pace_start(r);
}

static void wt_op_remove_interface(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	wt_pace_stop(r);
	spin_lock_bh(&wt_lock);
	if (vif->txq)
		wt_tx_flush_txq(r, vif->txq);
	wt_tx_flush_radio(r);
	r->tbtt = 0;
	r->vif = NULL;
	spin_unlock_bh(&wt_lock);
	wt_tao_stop(r);
	wt_hack_stop(r);
	wt_clock_flush();
}

static int wt_op_config(struct ieee80211_hw *hw, u32 changed)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_lock);
	if (hw->conf.chandef.chan)
		r->freq = hw->conf.chandef.chan->center_freq;
	spin_unlock_bh(&wt_lock);
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
	if (changed & BSS_CHANGED_ERP_SLOT) {
		spin_lock_bh(&wt_lock);
		wt_clock_rearm();
		spin_unlock_bh(&wt_lock);
	}
	if (!(changed & (BSS_CHANGED_BEACON_ENABLED | BSS_CHANGED_BEACON_INT)))
		return;
	spin_lock_bh(&wt_lock);
	if (r->driver->beacons)
		r->driver->beacons(r, info->enable_beacon);
	v->beaconing = info->enable_beacon;
	v->beacon_tu = info->beacon_int ?: 100;
	r->tbtt = v->beaconing ? wt_time() + v->beacon_tu * 1024000ull : 0;
	wt_clock_rearm();
	spin_unlock_bh(&wt_lock);
}

static void __maybe_unused wt_op_vif_cfg_changed(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u64 changed)
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
	spin_lock_bh(&wt_lock);
	e->aifsn = params->aifs;
	/* ath_htc_txq_update halves it, ath9k_hw_set_txq_props rounds up to 2^n - 1 */
	e->cw_min = r->driver->half_window ? roundup_pow_of_two(params->cw_min / 2 + 1) - 1 : params->cw_min;
	e->cw = e->cw_min;
	e->cw_max = params->cw_max;
	e->txop_us = params->txop * 32;
	if (wt_p.dcf) {
		e->aifsn = 2;
		e->cw = e->cw_min = wt_is_dsss(r->index) ? 31 : 15;	/* 18.4.5: aCWmin(0) of who knows no OFDM */
		e->cw_max = 1023;
		e->txop_us = 0;
	}
	spin_unlock_bh(&wt_lock);
	return 0;
}

/* IEEE80211_HT_MPDU_DENSITY_*: none, 1/4, 1/2, 1, 2, 4, 8, 16 us */
static const u32 density_ns[8] = { 0, 250, 500, 1000, 2000, 4000, 8000, 16000 };

/* Octets of an A-MPDU that a peer takes: 802.11-2016, 9.4.2.56.3, 9.4.2.158.2; 802.11ax-2021, 9.4.2.248.2, table 27-55 (aPSDUMaxLength). */
static u32 max_ampdu(const struct ieee80211_sta *sta)
{
	__auto_type link = wt_link_of(sta);

	if (link->he_cap.has_he)
		return min_t(u32, 6500631, (1u << (20 + (link->he_cap.he_cap_elem.mac_cap_info[3] & IEEE80211_HE_MAC_CAP3_MAX_AMPDU_LEN_EXP_MASK) / 8)) - 1);
	if (link->vht_cap.vht_supported)
		return (1u << (13 + FIELD_GET(IEEE80211_VHT_CAP_MAX_A_MPDU_LENGTH_EXPONENT_MASK, link->vht_cap.cap))) - 1;
	return (1u << (IEEE80211_HT_MAX_AMPDU_FACTOR + link->ht_cap.ampdu_factor)) - 1;
}

#if WT_BEFORE(6, 1)
#define AGG_OF(sta) (sta)
#else
#define AGG_OF(sta) (&(sta)->deflink.agg)
#endif

static void tell_limits(struct ieee80211_sta *sta)
{
#if !WT_BEFORE(6, 1)
	ieee80211_sta_recalc_aggregates(sta);
#endif
}

/* A card that has mac80211 build A-MSDUs has it build none before there is a session (mvm/mac80211.c, max_rc_amsdu_len = 1) ... */
static void build_none(const struct wt_radio *r, struct ieee80211_sta *sta)
{
	int i;

	if (!r->driver->cuts)
		return;
	AGG_OF(sta)->max_amsdu_len = AGG_OF(sta)->max_rc_amsdu_len = 1;
	for (i = 0; i < IEEE80211_NUM_TIDS; i++)
		AGG_OF(sta)->max_tid_amsdu_len[i] = 1;
	tell_limits(sta);
}

/* ... and then of the TIDs that have one, of so many octets (mvm/rs-fw.c iwl_mvm_tlc_update_notif). */
static void let_build(const struct wt_radio *r, struct ieee80211_sta *sta, u16 tid, u16 most)
{
	if (!r->driver->cuts || wt_p.amsdu_msdus[r->driver->mode] < 2)
		return;
	AGG_OF(sta)->max_amsdu_len = AGG_OF(sta)->max_rc_amsdu_len = AGG_OF(sta)->max_tid_amsdu_len[tid] = most;
	sta->max_amsdu_subframes = wt_p.amsdu_msdus[r->driver->mode];
	tell_limits(sta);
}

static int wt_op_sta_add(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta)
{
	wt_turns_init(((struct wt_sta *)sta->drv_priv)->turn);
	build_none(*(struct wt_radio **)hw->priv, sta);
	return 0;
}

static void wt_op_sta_rate_tbl_update(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta)
{
	if (wt_rate_set_used(*(struct wt_radio **)hw->priv))
		wt_rate_set_table(sta);
}

static int wt_op_sta_remove(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_sta *sta)
{
	struct wt_radio *r = *(struct wt_radio **)hw->priv;

	spin_lock_bh(&wt_lock);
	wt_tx_flush_sta(r, sta);
	spin_unlock_bh(&wt_lock);
	wt_clock_flush();
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
		spin_lock_bh(&wt_lock);
		s->max_ampdu = max_ampdu(sta);
		s->density_ns = density_ns[wt_link_of(sta)->ht_cap.ampdu_density & 7];
		params->ssn = (params->ssn - tid->unused) & IEEE80211_SN_MASK;
		if (r->driver->session)
			params->ssn = r->driver->session(tid, params->ssn);
		wt_ba_start(tid, params->ssn);
		spin_unlock_bh(&wt_lock);
#if WT_BEFORE(5, 5)
		ieee80211_start_tx_ba_cb_irqsafe(vif, sta->addr, params->tid);
		return 0;
#else
		return IEEE80211_AMPDU_TX_START_IMMEDIATE;
#endif
	case IEEE80211_AMPDU_TX_STOP_FLUSH:
	case IEEE80211_AMPDU_TX_STOP_FLUSH_CONT:
		flush = true;
		fallthrough;
	case IEEE80211_AMPDU_TX_STOP_CONT:
		spin_lock_bh(&wt_lock);
		s->asked &= ~BIT(params->tid);	/* ath9k_htc_tx_aggr_oper: AGGR_STOP, so that the next frame asks again */
		wt_ba_flush(r, tid);
		if (r->driver->session_over)
			r->driver->session_over(r, tid);
		spin_unlock_bh(&wt_lock);
		wt_clock_flush();
		if (!flush)
			ieee80211_stop_tx_ba_cb_irqsafe(vif, sta->addr, params->tid);
		break;
	case IEEE80211_AMPDU_TX_OPERATIONAL:
		spin_lock_bh(&wt_lock);
		tid->amsdus = params->amsdu;
		tid->baw_size = min_t(u16, params->buf_size ?: WT_WINDOW, WT_MAX_MPDUS);
		spin_unlock_bh(&wt_lock);
		if (params->amsdu)
			let_build(r, sta, params->tid, wt_amsdu_longest(r, sta));
		break;
	default:
		return -EOPNOTSUPP;
	}
	return 0;
}

/* ath9k_set_key: mac80211 makes the CCMP header, the card the MIC; the cards of ath10k, mt76 and iwlwifi make both (ath10k/mac.c ath10k_send_key) */
static int wt_op_set_key(struct ieee80211_hw *hw, enum set_key_cmd cmd, struct ieee80211_vif *vif,
			 struct ieee80211_sta *sta, struct ieee80211_key_conf *key)
{
	const struct wt_radio *r = *(struct wt_radio **)hw->priv;

	if (key->cipher != WLAN_CIPHER_SUITE_CCMP || !(key->flags & IEEE80211_KEY_FLAG_PAIRWISE))
		return -EOPNOTSUPP;
	if (cmd == SET_KEY && !r->driver->makes_ccmp)
		key->flags |= IEEE80211_KEY_FLAG_GENERATE_IV;
	return 0;
}

static u64 wt_op_get_tsf(struct ieee80211_hw *hw, struct ieee80211_vif *vif)
{
	return div_u64(ktime_get_ns(), 1000);
}

/* Asked for with HAS_RATE_CONTROL (rate.c ieee80211_init_rate_ctrl_alg). What has an RTS here is the parameter `rts`'s to say. */
static int wt_op_set_rts_threshold(struct ieee80211_hw *hw, u32 value)
{
	return 0;
}

#if WT_BEFORE(6, 11)
#include "older/ops.h"
#endif

const struct ieee80211_ops wt_mac_ops = {
	.tx = wt_op_tx,
	.wake_tx_queue = wt_op_wake_tx_queue,
	.start = wt_op_start,
	.add_interface = wt_op_add_interface,
	.remove_interface = wt_op_remove_interface,
	.config = wt_op_config,
	.configure_filter = wt_op_configure_filter,
	.set_rts_threshold = wt_op_set_rts_threshold,
	.sta_add = wt_op_sta_add,
	.sta_remove = wt_op_sta_remove,
	.sta_rate_tbl_update = wt_op_sta_rate_tbl_update,
	.ampdu_action = wt_op_ampdu_action,
	.set_key = wt_op_set_key,
	.get_tsf = wt_op_get_tsf,
#if WT_BEFORE(6, 11)
	.stop = wt_older_stop,
#else
	.stop = wt_op_stop,
#endif
#if WT_BEFORE(6, 0)
	.bss_info_changed = wt_older_bss_info_changed,
	.conf_tx = wt_older_conf_tx,
#else
	.link_info_changed = wt_op_link_info_changed,
	.vif_cfg_changed = wt_op_vif_cfg_changed,
	.conf_tx = wt_op_conf_tx,
#endif
#if !WT_BEFORE(6, 9)	/* before, whoever has none has one channel */
	.add_chanctx = ieee80211_emulate_add_chanctx,
	.remove_chanctx = ieee80211_emulate_remove_chanctx,
	.change_chanctx = ieee80211_emulate_change_chanctx,
	.switch_vif_chanctx = ieee80211_emulate_switch_vif_chanctx,
#endif
};
