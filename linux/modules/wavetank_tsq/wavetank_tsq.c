// SPDX-License-Identifier: GPL-2.0
/*
 * wavetank_tsq: CoTSQ's lever for real Wi-Fi cards: how long TCP Small Queues may fill a device.
 *
 * Stands for: the constant in net/mac80211/main.c ieee80211_alloc_hw_nm, hw.tx_sk_pacing_shift = 7 (8 ms), which
 *   __ieee80211_subif_start_xmit (net/mac80211/tx.c) writes to the socket of every TCP packet that it sends. Since it is
 *   rewritten on each packet, the card's value is what to set; a socket's own would not last.
 *
 *   echo "wlan0 8" > /sys/module/wavetank_tsq/parameters/shift      4 ms for what leaves by wlan0's card
 *   echo "wlan0 -" > /sys/module/wavetank_tsq/parameters/shift      as it was
 *   cat /sys/module/wavetank_tsq/parameters/shift                   cards that are set: name, value, former value
 *   rmmod wavetank_tsq                                              all as they were
 *
 * TSQ holds back a socket once max(2 * truesize, pacing rate >> shift) are below it (net/ipv4/tcp_output.c
 * tcp_small_queue_check): 10 is 1 ms, 9 is 2 ms, 8 is 4 ms, 7 is 8 ms. BBR's window changes with it (tcp_bbr.c
 * bbr_tso_segs_goal).
 *
 * Differs:
 *   D1  whole powers of two only. Finer steps: net.ipv4.tcp_pacing_ss_ratio and tcp_pacing_ca_ratio, where pacing is not enforced.
 *   D2  the name is looked up in the writer's network namespace; the value is the card's, so all its interfaces change.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <net/cfg80211.h>
#include <net/mac80211.h>
#include <net/net_namespace.h>

struct card {
	struct list_head list;
	char name[32];		/* of the wiphy: a pointer could be another card's by now */
	u8 was;
};

static LIST_HEAD(cards);	/* under RTNL */
static const void *mac80211_privid;

/* A wiphy is mac80211's if it bears the mark of one that mac80211 made; other drivers' have no ieee80211_hw. */
static void nop_tx(struct ieee80211_hw *hw, struct ieee80211_tx_control *c, struct sk_buff *skb) { }
static int nop_start(struct ieee80211_hw *hw) { return 0; }
static void nop_stop(struct ieee80211_hw *hw, bool suspend) { }
static int nop_config(struct ieee80211_hw *hw, u32 changed) { return 0; }
static int nop_add(struct ieee80211_hw *hw, struct ieee80211_vif *vif) { return 0; }
static void nop_remove(struct ieee80211_hw *hw, struct ieee80211_vif *vif) { }
static void nop_filter(struct ieee80211_hw *hw, unsigned int c, unsigned int *f, u64 m) { }

static const struct ieee80211_ops nop_ops = {
	.tx = nop_tx, .start = nop_start, .stop = nop_stop, .config = nop_config, .add_interface = nop_add,
	.remove_interface = nop_remove, .configure_filter = nop_filter, .wake_tx_queue = ieee80211_handle_wake_tx_queue,
	.add_chanctx = ieee80211_emulate_add_chanctx, .remove_chanctx = ieee80211_emulate_remove_chanctx,
	.change_chanctx = ieee80211_emulate_change_chanctx, .switch_vif_chanctx = ieee80211_emulate_switch_vif_chanctx,
};

static struct ieee80211_hw *hw_of(struct net_device *dev)
{
	struct wiphy *wiphy = dev->ieee80211_ptr ? dev->ieee80211_ptr->wiphy : NULL;

	return wiphy && wiphy->privid == mac80211_privid ? wiphy_to_ieee80211_hw(wiphy) : NULL;
}

static struct card *find(const char *name)
{
	struct card *c;

	list_for_each_entry(c, &cards, list)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static int set(struct net_device *dev, int shift)
{
	struct ieee80211_hw *hw = hw_of(dev);
	struct card *c;

	if (!hw)
		return -EOPNOTSUPP;
	c = find(wiphy_name(hw->wiphy));
	if (shift < 0) {
		if (!c)
			return 0;
		WRITE_ONCE(hw->tx_sk_pacing_shift, c->was);
		list_del(&c->list);
		kfree(c);
		return 0;
	}
	if (!c) {
		c = kzalloc(sizeof(*c), GFP_KERNEL);
		if (!c)
			return -ENOMEM;
		strscpy(c->name, wiphy_name(hw->wiphy));
		c->was = hw->tx_sk_pacing_shift;
		list_add_tail(&c->list, &cards);
	}
	WRITE_ONCE(hw->tx_sk_pacing_shift, shift);
	return 0;
}

static int shift_set(const char *text, const struct kernel_param *kp)
{
	char name[IFNAMSIZ], value[8];
	struct net_device *dev;
	int shift = -1, err;

	if (sscanf(text, "%15s %7s", name, value) != 2)
		return -EINVAL;
	if (strcmp(value, "-")) {
		err = kstrtoint(value, 10, &shift);
		if (err)
			return err;
		if (shift < 0 || shift > 31)
			return -ERANGE;
	}
	rtnl_lock();
	dev = __dev_get_by_name(current->nsproxy->net_ns, name);
	err = dev ? set(dev, shift) : -ENODEV;
	rtnl_unlock();
	return err;
}

/* Every card that is set and still there. */
static void each(void (*f)(struct ieee80211_hw *hw, struct card *c, void *arg), void *arg)
{
	struct ieee80211_hw *hw;
	struct net_device *dev;
	struct card *c;
	struct net *net;

	down_read(&net_rwsem);
	for_each_net(net)
		for_each_netdev(net, dev) {
			hw = hw_of(dev);
			c = hw ? find(wiphy_name(hw->wiphy)) : NULL;
			if (c)
				f(hw, c, arg);
		}
	up_read(&net_rwsem);
}

static void show(struct ieee80211_hw *hw, struct card *c, void *arg)
{
	char *page = arg;

	if (!strstr(page, c->name))	/* once a card, however many interfaces */
		scnprintf(page + strlen(page), PAGE_SIZE - strlen(page), "%s %u %u\n", c->name, hw->tx_sk_pacing_shift, c->was);
}

static int shift_get(char *page, const struct kernel_param *kp)
{
	page[0] = 0;
	rtnl_lock();
	each(show, page);
	rtnl_unlock();
	return strlen(page);
}

static const struct kernel_param_ops shift_ops = { .set = shift_set, .get = shift_get };
module_param_cb(shift, &shift_ops, NULL, 0644);
MODULE_PARM_DESC(shift, "\"DEVICE SHIFT\": TSQ holds 2^-SHIFT s of that card; \"DEVICE -\": as it was");

static void restore(struct ieee80211_hw *hw, struct card *c, void *arg)
{
	WRITE_ONCE(hw->tx_sk_pacing_shift, c->was);
}

static int __init tsq_init(void)
{
	struct ieee80211_hw *hw = ieee80211_alloc_hw(0, &nop_ops);

	if (!hw)
		return -ENOMEM;
	mac80211_privid = hw->wiphy->privid;
	ieee80211_free_hw(hw);
	return 0;
}

static void __exit tsq_exit(void)
{
	struct card *c, *next;

	rtnl_lock();
	each(restore, NULL);
	list_for_each_entry_safe(c, next, &cards, list)
		kfree(c);
	rtnl_unlock();
}

module_init(tsq_init);
module_exit(tsq_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("TCP Small Queues' time for a mac80211 card");
