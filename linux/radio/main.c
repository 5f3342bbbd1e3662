// SPDX-License-Identifier: GPL-2.0
/*
 * main: loading, unloading.
 */
#include <linux/module.h>
#include "ack/hack.h"
#include "ack/tao.h"
#include "air/channel.h"
#include "air/csi.h"
#include "air/medium.h"
#include "air/phy.h"
#include "card.h"
#include "clock.h"
#include "debug.h"
#include "mpdu/status.h"
#include "wire.h"

static void remove_all(void)
{
	unsigned int n = wt_n_radios;

	wt_tao_unhook();
	wt_hack_unhook();
	wt_wire_unhook();
	/* the air stands still first: no event then meets a card that is being taken away */
	spin_lock_bh(&wt_lock);
	wt_n_radios = 0;
	wt_air.state = WT_IDLE;
	spin_unlock_bh(&wt_lock);
	wt_clock_stop();
	while (n--)
		wt_card_remove(wt_radios[n]);
	wt_clock_flush();
	wt_debug_exit();
	wt_csi_exit();
	wt_channel_unload();
}

static int __init wt_init(void)
{
	unsigned int i;
	int err;

	err = wt_params_check() ?: wt_phy_check();
	if (err)
		return err;
	err = wt_channel_load(wt_p.channel);
	if (err)
		return err;
	err = wt_csi_init();
	if (err)
		goto no_csi;
	err = wt_tao_hook();
	if (err)
		goto no_tao;
	err = wt_hack_hook();
	if (err)
		goto no_hack;
	err = wt_wire_hook();
	if (err)
		goto no_wire;
	wt_status_init();
	wt_clock_init();
	if (wt_debug_init()) {
		remove_all();
		return -ENOMEM;
	}
	for (i = 0; i < wt_p.radios; i++) {
		struct wt_radio *r = wt_card_add(i);

		if (IS_ERR(r)) {
			remove_all();
			return PTR_ERR(r);
		}
		spin_lock_bh(&wt_lock);
		wt_radios[i] = r;
		wt_n_radios = i + 1;
		spin_unlock_bh(&wt_lock);
		wt_debug_radio(r);
	}
	return 0;

no_wire:
	wt_hack_unhook();
no_hack:
	wt_tao_unhook();
no_tao:
	wt_csi_exit();
no_csi:
	wt_channel_unload();
	return err;
}

static void __exit wt_exit(void)
{
	remove_all();
}

module_init(wt_init);
module_exit(wt_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A virtual 802.11n, ac and ax card whose air is modelled");
