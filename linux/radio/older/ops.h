/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ops: what mac80211 calls in the forms that it had before suspending stopped a card (6.11), and before links (6.0), as mac.c has them for 6.12.
 */
#ifndef WAVETANK_RADIO_OLDER_OPS_H
#define WAVETANK_RADIO_OLDER_OPS_H

static void wt_older_stop(struct ieee80211_hw *hw)
{
	wt_op_stop(hw, false);
}

#if WT_BEFORE(6, 0)
static void wt_older_bss_info_changed(struct ieee80211_hw *hw, struct ieee80211_vif *vif, struct ieee80211_bss_conf *info, u32 changed)
{
	wt_op_link_info_changed(hw, vif, info, changed);
}

static int wt_older_conf_tx(struct ieee80211_hw *hw, struct ieee80211_vif *vif, u16 ac, const struct ieee80211_tx_queue_params *params)
{
	return wt_op_conf_tx(hw, vif, 0, ac, params);
}
#endif

#endif
