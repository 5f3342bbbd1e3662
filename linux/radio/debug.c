// SPDX-License-Identifier: GPL-2.0
/*
 * debug: what can be read from outside, below debugfs wavetank/:
 *
 *   radioN       counters and the A-MPDU size histogram, `name value` a line
 *   air          time the medium was busy, and with collisions
 *   trace        the last PPDUs: start ns, radio, category, MCS or -1-rate index, MPDUs, lowest sequence number,
 *                what arrived (hex, bit i: lowest + i), duration ns, attempt, collided, what was sent (likewise)
 *   acks         TCP/HACK: what became of the last TCP ACKs: ns, station, made | came (natively, at the AP) | restored (goes up there) |
 *                rode (on an answer) | heard (an answer, at the AP), octets, hash of the packet
 *   minstrel     what Minstrel-HT was told and has decided (minstrel.c)
 *   drop         write "RADIO INDEX": of the next aggregate of that radio the MPDU INDEX (from 0) is lost, once
 *   forget       write "RADIO": the AP forgets what it knows of that station's TCP flows (ack/hack.c)
 *   capture      every exchange with its frames' first octets, where capture_mib makes room (air/capture.c)
 *   capture_start  write ns of CLOCK_MONOTONIC: time 0 of the run, before which nothing is captured
 *   channel_start  write ns of CLOCK_MONOTONIC: when the first step of the channel's file begins (air/channel.c)
 */
#include <linux/debugfs.h>
#include "ack/hack.h"
#include "air/capture.h"
#include "air/channel.h"
#include "air/loss.h"
#include "air/medium.h"
#include "air/phy.h"
#include "air/trace.h"
#include "debug.h"
#include "minstrel.h"

static struct dentry *root;

static int trace_show(struct seq_file *f, void *unused)
{
	return wt_trace_show(f, unused);
}
DEFINE_SHOW_ATTRIBUTE(trace);

static int acks_show(struct seq_file *f, void *unused)
{
	return wt_trace_show_acks(f, unused);
}
DEFINE_SHOW_ATTRIBUTE(acks);

static int air_show(struct seq_file *f, void *unused)
{
	seq_printf(f, "busy_ns %llu\ncollision_ns %llu\n", wt_air.busy_ns, wt_air.collision_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(air);

static void show_hist(struct seq_file *f, const char *name, const u64 of[WT_MAX_MPDUS + 1])
{
	int i;

	for (i = 0; i <= WT_MAX_MPDUS; i++)
		if (of[i])
			seq_printf(f, "%s_%d %llu\n", name, i, of[i]);
}

/* Data by how they are modulated: NAME_STANDARD_MCS_STREAMS_MHZ_GI, the guard interval in ns; of 802.11b's rates NAME_dsss_RATE_1_20_0. */
static void show_mode(struct seq_file *f, const char *name, u32 k, u64 n)
{
	struct ieee80211_tx_rate r = wt_phy_modulated(k);
	const char *of = wt_phy_is_he(&r) ? "he" : wt_phy_is_vht(&r) ? "vht" : "ht";

	if (!wt_phy_aggregates(&r)) {
		if (r.idx < WT_DSSS_RATES)
			seq_printf(f, "%s_dsss_%d_1_20_0 %llu\n", name, r.idx, n);
		else
			seq_printf(f, "%s_ofdm_%d_1_20_800 %llu\n", name, r.idx - WT_DSSS_RATES, n);
		return;
	}
	seq_printf(f, "%s_%s_%d_%u_%u_%u %llu\n", name, of, wt_phy_mcs(&r), wt_phy_streams(&r), wt_phy_mhz(&r), wt_phy_gi_ns(&r), n);
}

static void show_modes(struct seq_file *f, const char *name, const u64 of[WT_MODULATIONS])
{
	u32 k;

	for (k = 0; k < WT_MODULATIONS; k++)
		if (of[k])
			show_mode(f, name, k, of[k]);
}

/* And what each carries, bit/s. */
static void show_bps(struct seq_file *f, const struct wt_counters *c)
{
	u32 k;

	for (k = 0; k < WT_MODULATIONS; k++) {
		struct ieee80211_tx_rate r = wt_phy_modulated(k);

		if (c->mode_ppdus[k] || c->rx_mode_ppdus[k])
			show_mode(f, "mode_bps", k, wt_phy_bps(&r));
	}
}

static int radio_show(struct seq_file *f, void *unused)
{
	struct wt_radio *r = f->private;
	struct wt_counters *c = &r->count;

#define SHOW(_x) seq_printf(f, #_x " %llu\n", c->_x)
	SHOW(ppdus); SHOW(mpdus); SHOW(acked_mpdus); SHOW(failed_mpdus); SHOW(dropped_mpdus);
	SHOW(collisions); SHOW(no_response); SHOW(internal_collisions); SHOW(aggregates); SHOW(singles);
	SHOW(airtime_ns); SHOW(rx_airtime_ns); SHOW(rx_mpdus); SHOW(rx_bytes); SHOW(back_to_back);
	SHOW(fifo_max); SHOW(netdev_stops); SHOW(lost_statuses); SHOW(backlog_drops);
	SHOW(tao_held); SHOW(tao_releases); SHOW(tao_expired);
	wt_hack_show(f, r);
	show_hist(f, "ampdu", c->ht_ampdu);
	show_hist(f, "rx_ampdu", c->rx_ampdu);
	show_hist(f, "rx_bad", c->rx_bad);
	show_modes(f, "mode_ppdus", c->mode_ppdus);
	show_modes(f, "mode_mpdus", c->mode_mpdus);
	show_modes(f, "rx_mode_ppdus", c->rx_mode_ppdus);
	show_modes(f, "rx_mode_mpdus", c->rx_mode_mpdus);
	show_bps(f, c);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(radio);

static ssize_t drop_write(struct file *file, const char __user *user, size_t len, loff_t *pos)
{
	char buf[32] = {};
	int radio, index;

	if (len >= sizeof(buf) || copy_from_user(buf, user, len))
		return -EINVAL;
	if (sscanf(buf, "%d %d", &radio, &index) != 2)
		return -EINVAL;
	wt_loss_plant(radio, index);
	return len;
}

static int forget_set(void *unused, u64 radio)
{
	wt_hack_amnesia(radio);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(forget_fops, NULL, forget_set, "%llu\n");

static int channel_start_set(void *unused, u64 at)
{
	spin_lock_bh(&wt_lock);
	wt_channel_start(at);
	spin_unlock_bh(&wt_lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(channel_start_fops, NULL, channel_start_set, "%llu\n");

static int capture_start_set(void *unused, u64 at)
{
	spin_lock_bh(&wt_lock);
	wt_capture_start(at);
	spin_unlock_bh(&wt_lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(capture_start_fops, NULL, capture_start_set, "%llu\n");

static const struct file_operations drop_fops = { .owner = THIS_MODULE, .open = simple_open, .write = drop_write };

int wt_debug_init(void)
{
	int err = wt_capture_init();

	if (err)
		return err;
	wt_trace_init();
	root = debugfs_create_dir("wavetank", NULL);
	debugfs_create_file("air", 0444, root, NULL, &air_fops);
	debugfs_create_file("acks", 0444, root, NULL, &acks_fops);
	debugfs_create_file("trace", 0444, root, NULL, &trace_fops);
	debugfs_create_file("drop", 0200, root, NULL, &drop_fops);
	debugfs_create_file_unsafe("forget", 0200, root, NULL, &forget_fops);
	debugfs_create_file("capture", 0400, root, NULL, &wt_capture_fops);
	debugfs_create_file_unsafe("capture_start", 0200, root, NULL, &capture_start_fops);
	debugfs_create_file_unsafe("channel_start", 0200, root, NULL, &channel_start_fops);
	return wt_minstrel_init(root);
}

void wt_debug_radio(struct wt_radio *r)
{
	char name[16];

	snprintf(name, sizeof(name), "radio%d", r->index);
	debugfs_create_file(name, 0444, root, r, &radio_fops);
}

void wt_debug_exit(void)
{
	debugfs_remove(root);
	wt_minstrel_exit();
	wt_trace_exit();
	wt_capture_exit();
}
