// SPDX-License-Identifier: GPL-2.0
/*
 * channel: what a link does to a PPDU at a time: how likely an octet survives at each MCS, and with which SNR it arrives.
 *
 * Source: the model's channel (crates/core/src/phy), which writes both down for every step of time; the kernel has no floating
 *   point, and so both waters meet literally the same channel. A file, named by the parameter `channel`, little-endian:
 *
 *     magic "WTCHAN3\n"   u32 links   u32 steps   u64 step, ns   u32 subcarriers   u32 rates of 802.11b: 0, or at 2.4 GHz 4
 *     a link:  u16 from, u16 to (radios), u16 mcs, u16 widths, then for each step
 *              s16 SNR of the control half, s16 of the extension half, as a card reports it (1/100 dB)
 *              u32 loss[mcs * widths + 8 + rates of 802.11b]: -log2 of the probability that an octet arrives, times 2^32 (saturated):
 *              at MCS 0, 1, ... of the link's standard, over all of its streams, at its width, then (two widths) over 20 MHz of its 40, then at 802.11a's
 *              eight rates, and 802.11b's
 *              s16 re, s16 im [subcarriers]: CSI, as a card reports it
 *
 *   Step 0 begins at the time written to debugfs' channel_start (CLOCK_MONOTONIC, ns) and holds before it; the last step holds
 *   after the end. An MPDU of n octets arrives with probability 2^(-n loss / 2^32).
 * Differs:
 *   D1  the step at the PPDU's start holds for all of it.
 *   D2  MPDUs are lost independently of each other within a step.
 *   D3  preambles are heard whenever anything is; management frames and BARs are not lost.
 *   D4  a link that the file does not name has error_ppm's losses and a constant SNR.
 */
#include <linux/kernel_read_file.h>
#include <linux/vmalloc.h>
#include "air/channel.h"
#include "air/phy.h"

#define MAX_SUBCARRIERS	114	/* 40 MHz */
#define FULL_MPDU	1538

struct head {
	u8 magic[8];
	__le32 links, steps;
	__le64 step_ns;
	__le32 subcarriers, dsss;
} __packed;

struct link_head {
	__le16 from, to, mcs, widths;
} __packed;

struct link {
	const u8 *first;		/* its first step, NULL: none */
	u32 mcs, widths, modes, step_bytes;
	u32 best;			/* MCS over all streams, when it was asked last */
};

static struct {
	void *file;
	struct link link[WT_MAX_RADIOS][WT_MAX_RADIOS];
	u64 start, step_ns;
	u32 steps, subcarriers, dsss;
} ch;

/* A link's part of the file, of which `room` octets are left: how many it takes, 0: it cannot be. */
static size_t load_link(const struct link_head *head, size_t room)
{
	u16 from, to;
	struct link l;
	size_t bytes;

	if (room < sizeof(*head))
		return 0;
	from = le16_to_cpu(head->from);
	to = le16_to_cpu(head->to);
	l = (struct link) { .first = (const u8 *)(head + 1), .mcs = le16_to_cpu(head->mcs), .widths = le16_to_cpu(head->widths) };
	l.modes = l.mcs * l.widths + WT_OFDM_RATES + ch.dsss;
	l.step_bytes = 4 + 4 * l.modes + 4 * ch.subcarriers;
	bytes = sizeof(*head) + (size_t)ch.steps * l.step_bytes;
	if (from >= WT_MAX_RADIOS || to >= WT_MAX_RADIOS || l.mcs > WT_MCS_OVER_STREAMS || l.widths < 1 || l.widths > 2 || room < bytes)
		return 0;
	ch.link[from][to] = l;
	return bytes;
}

int wt_channel_load(const char *path)
{
	const struct head *h;
	ssize_t size;
	size_t at = sizeof(*h);
	u32 links;

	if (!path || !*path)
		return 0;
	size = kernel_read_file_from_path(path, 0, &ch.file, INT_MAX, NULL, READING_UNKNOWN);
	if (size < 0) {
		pr_err("wavetank_radio: channel %s cannot be read: %zd\n", path, size);
		return size;
	}
	h = ch.file;
	if (size < sizeof(*h) || memcmp(h->magic, "WTCHAN3\n", 8))
		goto bad;
	links = le32_to_cpu(h->links);
	ch.steps = le32_to_cpu(h->steps);
	ch.step_ns = le64_to_cpu(h->step_ns);
	ch.subcarriers = le32_to_cpu(h->subcarriers);
	ch.dsss = le32_to_cpu(h->dsss);
	if (!ch.steps || !ch.step_ns || ch.subcarriers > MAX_SUBCARRIERS || (ch.dsss && ch.dsss != WT_DSSS_RATES))
		goto bad;
	while (links--) {
		size_t bytes = load_link(ch.file + at, size - at);

		if (!bytes)
			goto bad;
		at += bytes;
	}
	if (at == size)
		return 0;
bad:
	pr_err("wavetank_radio: %s is no channel of this version, or is cut short\n", path);
	wt_channel_unload();
	return -EINVAL;
}

void wt_channel_unload(void)
{
	vfree(ch.file);
	memset(&ch, 0, sizeof(ch));
}

void wt_channel_start(u64 at)
{
	ch.start = at;
}

/* What a link is like at a time: its record, or NULL. */
static const u8 *record(const struct wt_radio *from, const struct wt_radio *to, u64 at)
{
	const struct link *l = to ? &ch.link[from->index][to->index] : NULL;
	u64 step = ch.start && at > ch.start ? div64_u64(at - ch.start, ch.step_ns ?: 1) : 0;

	return l && l->first ? l->first + min_t(u64, step, ch.steps - 1) * l->step_bytes : NULL;
}

/* 2^-(x / 2^32), in parts of 2^32 (saturated below 1): each bit of the fraction is a factor 2^-(2^-k) */
static u32 exp2_minus(u64 x)
{
	/* round(2^32 * 2^-(2^-k)) for k = 1 .. 16 */
	static const u32 factor[16] = {
		3037000500u, 3611622603u, 3938502376u, 4112874773u, 4202935003u, 4248701965u, 4271771996u, 4283353945u,
		4289156690u, 4292061010u, 4293513907u, 4294240540u, 4294603903u, 4294785595u, 4294876445u, 4294921870u,
	};
	u64 y = U32_MAX;
	int k;

	if (x >> 32 >= 32)
		return 0;
	for (k = 0; k < 16; k++)
		if (x & BIT_ULL(31 - k))
			y = (y * factor[k]) >> 32;
	/* what is left is small: 2^-z = 1 - z ln 2 */
	y -= (((y * (x & 0xffff)) >> 32) * 2977044472u) >> 32;
	return y >> (x >> 32);
}

bool wt_channel_present(const struct wt_radio *from, const struct wt_radio *to)
{
	return to && ch.link[from->index][to->index].first;
}

/*
 * The probability, in parts of 2^32, that `bytes` sent now arrive, at an MCS, at a rate of 802.11a or of 802.11b, which fares as the slowest of
 * 802.11a's where the file does not have it.
 */
u32 wt_channel_survives(const struct wt_radio *from, const struct wt_radio *to, u64 at, enum wt_channel_modes of, u32 idx, u32 bytes)
{
	const __le32 *loss = (const __le32 *)(record(from, to, at) + 4);
	const struct link *l = &ch.link[from->index][to->index];
	u32 first = 0, n = l->mcs;

	if (of == WT_NARROW)
		first = l->mcs * (l->widths - 1);
	if (of == WT_OFDM || of == WT_DSSS) {
		first = l->mcs * l->widths;
		n = WT_OFDM_RATES;
	}
	if (of == WT_DSSS && ch.dsss) {
		first += WT_OFDM_RATES;
		n = ch.dsss;
	} else if (of == WT_DSSS) {
		idx = 0;
	}
	return idx < n ? exp2_minus((u64)le32_to_cpu(loss[first + idx]) * bytes) : 0;
}

/*
 * The MCS, over all streams, whose rate times the probability that a full MPDU arrives is largest: the model's `ideal` rate control. What holds for
 * a PPDU that goes on the air now is what the next one that is formed goes out with.
 */
void wt_channel_learn(const struct wt_radio *from, const struct wt_radio *to, u64 at)
{
	struct link *l = &ch.link[from->index][to->index];
	unsigned int station = from->index ?: to->index;
	u64 most = 0;
	u32 i;

	for (i = 0; i < l->mcs; i++) {
		struct ieee80211_tx_rate rate = {};
		u64 carries;

		wt_phy_set_fixed(&rate, station, i);
		carries = (wt_phy_bps(&rate) >> 10) * wt_channel_survives(from, to, at, WT_WHOLE, i, FULL_MPDU);
		if (carries > most) {
			most = carries;
			l->best = i;
		}
	}
}

u32 wt_channel_best(const struct wt_radio *from, const struct wt_radio *to)
{
	return ch.link[from->index][to->index].best;
}

/* SNR of the halves of the channel, 1/100 dB; false where the file says nothing. */
bool wt_channel_snr(const struct wt_radio *from, const struct wt_radio *to, u64 at, s16 *ctl, s16 *ext)
{
	const __le16 *r = (const __le16 *)record(from, to, at);

	if (!r)
		return false;
	*ctl = le16_to_cpu(r[0]);
	*ext = le16_to_cpu(r[1]);
	return true;
}

/* The frequency response, pairs of re and im (little-endian); 0: none. */
u32 wt_channel_csi(const struct wt_radio *from, const struct wt_radio *to, u64 at, const __le16 **csi)
{
	const u8 *r = record(from, to, at);

	*csi = r ? (const __le16 *)(r + 4 + 4 * ch.link[from->index][to->index].modes) : NULL;
	return r ? ch.subcarriers : 0;
}
