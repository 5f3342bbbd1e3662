// SPDX-License-Identifier: GPL-2.0
/*
 * feedback: what a receiver says of the channel, by generic netlink from the CSI daemon (docs/csid.md has the messages).
 *
 * Family wavetank_aarc, version 1, command 1, for root of the namespace that the card is in; answers 0, -ENOENT where no station
 * of that address has aarc or aarc_snr there, -EINVAL for what is malformed. Feedback older than feedback_ms is dropped (and 0).
 */
#include <linux/module.h>
#include <net/cfg80211.h>
#include <net/genetlink.h>
#include "aasrc.h"

enum { ATTR_NONE, ATTR_STA, ATTR_ESNR, ATTR_SNR, ATTR_AGE, ATTRS };

static const struct nla_policy policy[ATTRS] = {
	[ATTR_STA] = NLA_POLICY_EXACT_LEN(ETH_ALEN),
	[ATTR_ESNR] = NLA_POLICY_EXACT_LEN(4 * sizeof(s16)),
	[ATTR_SNR] = { .type = NLA_S16 },
	[ATTR_AGE] = { .type = NLA_U32 },
};

static int esnr(struct sk_buff *skb, struct genl_info *info)
{
	struct aasrc_sta *s;
	s16 values[4], snr;
	int err = -ENOENT;
	bool late;
	u8 *addr;

	if (!info->attrs[ATTR_STA] || !info->attrs[ATTR_ESNR] || !info->attrs[ATTR_SNR] || !info->attrs[ATTR_AGE])
		return -EINVAL;
	addr = nla_data(info->attrs[ATTR_STA]);
	memcpy(values, nla_data(info->attrs[ATTR_ESNR]), sizeof(values));
	snr = nla_get_s16(info->attrs[ATTR_SNR]);
	late = nla_get_u32(info->attrs[ATTR_AGE]) / USEC_PER_MSEC > READ_ONCE(aasrc_p.feedback_ms);
	spin_lock_bh(&aasrc_stations_lock);
	list_for_each_entry(s, &aasrc_stations, list) {
		if (!s->sta || s->a.kind == AASRC || !ether_addr_equal_unaligned(s->sta->addr, addr) ||
		    !net_eq(wiphy_net(s->hw->wiphy), genl_info_net(info)))
			continue;
		err = 0;
		if (!late)
			aasrc_told(s, values, snr);
	}
	spin_unlock_bh(&aasrc_stations_lock);
	return err;
}

static const struct genl_small_ops ops[] = {
	{ .cmd = 1, .flags = GENL_ADMIN_PERM, .doit = esnr },
};

static struct genl_family family __ro_after_init = {
	.name = "wavetank_aarc",
	.version = 1,
	.netnsok = true,
	.module = THIS_MODULE,
	.small_ops = ops,
	.n_small_ops = ARRAY_SIZE(ops),
	.resv_start_op = 2,
	.policy = policy,
	.maxattr = ATTRS - 1,
};

int __init aasrc_feedback_init(void)
{
	return genl_register_family(&family);
}

void aasrc_feedback_exit(void)
{
	genl_unregister_family(&family);
}
