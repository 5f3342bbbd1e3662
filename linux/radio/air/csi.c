// SPDX-License-Identifier: GPL-2.0
/*
 * csi: what a card measures of a PPDU that it receives: the SNR of both halves of the channel, and the channel's frequency
 * response, told by generic netlink to whoever listens (docs/csid.md has the messages).
 *
 * Source: the thesis, 5.6.2 and 5.8.1 (ath9k with the Atheros CSI tool: one report a PPDU). The report itself is the model's
 *   (crates/core/src/phy/channel/measure.rs: SNR in whole dB that jitters, 10-bit parts against an unknown reference, noise), which
 *   writes one down for each step of the channel (channel.c).
 * Differs:
 *   D1  PPDUs within one step of the channel have one report.
 *   D2  no sounding flag is needed: every PPDU with data of which an MPDU arrived is reported.
 */
#include <net/genetlink.h>
#include "air/channel.h"
#include "air/csi.h"
#include "air/phy.h"

#define BITS	10

enum {
	ATTR_NONE, ATTR_PAD, ATTR_PHY, ATTR_TA, ATTR_RA, ATTR_TIME, ATTR_COUNT, ATTR_WIDTH, ATTR_N_TX, ATTR_N_RX, ATTR_N_SC,
	ATTR_BITS, ATTR_SNR_CTRL, ATTR_SNR_EXT, ATTR_CSI, ATTR_MCS,
};
#define REPORT	1

static const struct genl_multicast_group groups[] = { { .name = "csi" } };

static struct genl_family family __ro_after_init = {
	.name = "wavetank_csi",
	.version = 1,
	.netnsok = true,
	.module = THIS_MODULE,
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

static bool fill(struct sk_buff *msg, struct wt_radio *to, const u8 *ta, const struct ieee80211_tx_rate *rate,
		 s16 ctl, s16 ext, const __le16 *csi, u32 n)
{
	bool wide = n > 56;
	struct nlattr *attr;
	void *head = genlmsg_put(msg, 0, 0, &family, 0, REPORT);
	s16 *parts;
	u32 i;

	if (!head || nla_put_string(msg, ATTR_PHY, wiphy_name(to->hw->wiphy)) || nla_put(msg, ATTR_TA, ETH_ALEN, ta) ||
	    nla_put(msg, ATTR_RA, ETH_ALEN, to->vif->addr) || nla_put_u64_64bit(msg, ATTR_TIME, wt_now, ATTR_PAD) ||
	    nla_put_u32(msg, ATTR_COUNT, to->csi_count) || nla_put_u16(msg, ATTR_WIDTH, wide ? 40 : 20) ||
	    nla_put_u8(msg, ATTR_N_TX, 1) || nla_put_u8(msg, ATTR_N_RX, 1) || nla_put_u16(msg, ATTR_N_SC, n) ||
	    nla_put_u8(msg, ATTR_BITS, BITS) || nla_put_s16(msg, ATTR_SNR_CTRL, ctl) ||
	    (wide && nla_put_s16(msg, ATTR_SNR_EXT, ext)) || nla_put_u8(msg, ATTR_MCS, rate->idx))
		return false;
	attr = nla_reserve(msg, ATTR_CSI, 4 * n);
	if (!attr)
		return false;
	parts = nla_data(attr);
	for (i = 0; i < 2 * n; i++)
		parts[i] = le16_to_cpu(csi[i]);
	genlmsg_end(msg, head);
	return true;
}

/* A PPDU with data, whose exchange began at `at`, has ended, and something of it arrived. */
void wt_csi_report(struct wt_radio *to, const struct wt_radio *from, const struct wt_ppdu *p, u64 at, s16 ctl, s16 ext)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	struct net *net = wiphy_net(to->hw->wiphy);
	struct sk_buff *msg;
	const __le16 *csi;
	u32 n;

	if (!p->tid || !wt_phy_aggregates(rate))
		return;
	n = wt_channel_csi(from, to, at, &csi);
	if (!n)
		return;
	to->csi_count++;
	if (!genl_has_listeners(&family, net, 0))
		return;
	msg = genlmsg_new(NLMSG_GOODSIZE, GFP_ATOMIC);
	if (!msg)
		return;
	if (fill(msg, to, ((struct ieee80211_hdr *)p->mpdu[0]->data)->addr2, rate, ctl, ext, csi, n))
		genlmsg_multicast_netns(&family, net, msg, 0, 0, GFP_ATOMIC);
	else
		nlmsg_free(msg);
}

int wt_csi_init(void)
{
	return genl_register_family(&family);
}

void wt_csi_exit(void)
{
	genl_unregister_family(&family);
}
