// SPDX-License-Identifier: GPL-2.0
/*
 * reorder: whether a frame that comes lets anything go up through mac80211's reorder buffer, be it itself or what it makes room for.
 *
 * What waits there has left the card's ring. Under NAPI what goes up is seen only when GRO is done with it, and not of which frames it is made.
 *
 * Source: net/mac80211/rx.c ieee80211_sta_manage_reorder_buf.
 */
#include "ieee80211_i.h"
#include "sta_info.h"
#include "air/reorder.h"

bool wt_lets_go(struct wt_radio *r, const struct sk_buff *skb)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;
	const struct tid_ampdu_rx *reorders = NULL;
	struct ieee80211_sta *sta;
	bool goes = true;
	u16 sn;

	if (!ieee80211_is_data_qos(hdr->frame_control) || is_multicast_ether_addr(hdr->addr1))
		return true;
	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(r->hw, hdr->addr2, NULL);
	if (sta)
		reorders = rcu_dereference(container_of(sta, struct sta_info, sta)->ampdu_mlme.tid_rx[*ieee80211_get_qos_ctl(hdr) & IEEE80211_QOS_CTL_TID_MASK]);
	if (reorders && !reorders->auto_seq) {
		sn = IEEE80211_SEQ_TO_SN(le16_to_cpu(hdr->seq_ctrl));
		goes = sn == reorders->head_seq_num ||
		       (!ieee80211_sn_less(sn, reorders->head_seq_num) &&
			!ieee80211_sn_less(sn, ieee80211_sn_add(reorders->head_seq_num, reorders->buf_size)));
	}
	rcu_read_unlock();
	return goes;
}
