//! SACK blocks come in: they mark which of the segments in flight the receiver already has, and tell about reordering.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_sacktag_write_queue`, `tcp_sacktag_one`, `tcp_is_sackblock_valid`,
//! `tcp_check_dsack`, `tcp_check_sack_reordering`; RFC 2018, 2883.
//! Differs: D1 marks are a segment's (rtx.rs, D1). D2 blocks that overlap what the previous ACK reported are walked only where they are
//! new, as in Linux (`recv_sack_cache`), but without its shortcuts into the middle of the queue: the queue is searched by halving.

use crate::sim::Packet;
use crate::tcp::cc::RateSample;
use crate::tcp::rtx::tag;
use crate::tcp::sender::delivery_rate;
use crate::tcp::sender::flag;
use crate::tcp::sender::scoreboard::{Block, Tagged};
use crate::tcp::seq::{after, before};
use crate::tcp::socket::Socket;

impl Socket {
    /// `tcp_check_sack_reordering`: a higher segment was delivered before `low`, which was never retransmitted.
    pub(in crate::tcp) fn check_sack_reordering(&mut self, low: u32) {
        let fack = self.sb.highest_seq(&self.tp, &self.rtx);
        if !before(low, fack) {
            return;
        }
        let (metric, mss) = (fack.wrapping_sub(low), self.tp.mss_cache);
        let more = metric > self.tp.reordering * mss;
        if more {
            self.tp.reordering = metric.div_ceil(mss).min(self.app.sysctls.max_reordering);
        }
        self.counted.reordered(more);
        self.rack.reord_seen = self.rack.reord_seen.saturating_add(1);
    }

    /// `tcp_sacktag_write_queue`: takes the SACK blocks of `p`.
    pub(in crate::tcp) fn take_sacks(&mut self, p: &Packet, prior_una: u32, rs: &mut RateSample) -> Tagged {
        let mut t = Tagged { reord: self.tp.snd_nxt, ..Tagged::default() };
        let blocks = &p.sack[..usize::from(p.n_sack)];
        if self.tp.sacked_out == 0 {
            self.sb.restart(&self.rtx);
            self.sb.cached = 0;
        }
        let dsack = self.check_dsack(p.ack, blocks, prior_una, &mut t);
        if before(p.ack, prior_una.wrapping_sub(self.tp.max_window)) || self.tp.packets_out == 0 {
            return t;
        }
        let mut used: [(Block, bool); 4] = [((0, 0), false); 4];
        let (mut n, mut passed_on) = (0, false);
        for (i, &b) in blocks.iter().enumerate() {
            let dup = i == 0 && dsack;
            if !self.block_valid(dup, b) {
                continue;
            }
            if after(b.1, prior_una) {
                used[n] = (b, dup || core::mem::take(&mut passed_on));
                n += 1;
            } else {
                passed_on |= dup && self.profile.old_dsack_passes_on;
            }
        }
        if self.mtup.is_some() && self.profile.sacks_look_at_route {
            self.look_at_route();
        }
        // In order, so that the queue is walked once.
        let used = &mut used[..n];
        used.sort_unstable_by(|a, b| (a.0.0.wrapping_sub(b.0.0) as i32).cmp(&0));
        for i in 0..used.len() {
            let (b, dup) = used[i];
            t.next_dup = used.get(i + 1).filter(|next| next.1).map(|next| next.0);
            self.take_block(b, dup, rs, &mut t);
        }
        for (c, u) in self.sb.cache.iter_mut().zip(used.iter()) {
            *c = u.0;
        }
        self.sb.cached = n as u8;
        if self.counts_losses() {
            self.mark_lost_retrans();
        }
        if self.tp.ca_state != crate::tcp::tp::CaState::Loss || self.undo.marker.is_some() {
            match self.profile.reordering_grows {
                true => self.sacked_above(self.rtx.find(t.reord).wrapping_sub(self.rtx.first())),
                false => self.check_sack_reordering(t.reord),
            }
        }
        t
    }

    /// `tcp_check_dsack`: whether the first block reports a duplicate.
    fn check_dsack(&mut self, ack: u32, blocks: &[Block], prior_una: u32, t: &mut Tagged) -> bool {
        let Some(&(start, end)) = blocks.first() else { return false };
        let is = before(start, ack) || blocks.get(1).is_some_and(|b| !after(end, b.1) && !before(start, b.0));
        if !is || !before(start, end) {
            return false;
        }
        let len = end.wrapping_sub(start);
        let one = self.profile.dsack_is_one;
        if len > self.tp.max_window && !one {
            return false;
        }
        let mut dups = 1;
        if len > self.tp.mss_cache && !one {
            dups = len.div_ceil(self.tp.mss_cache);
        } else if self.tlp.high_seq == Some(end) {
            t.flags |= flag::DSACK_TLP;
        }
        self.sb.dsack_dups += u64::from(dups);
        self.stats.dsacks += u64::from(dups);
        // More duplicates than retransmissions: not our doing.
        if self.sb.dsack_dups > self.stats.retransmits && !one {
            return false;
        }
        if self.profile.rack_any_dsack || self.rack.reord_seen > 0 && t.flags & flag::DSACK_TLP == 0 {
            self.rack.dsack_seen = true;
        }
        t.flags |= flag::DSACKING_ACK;
        t.delivered += dups;
        if let Some(marker) = self.undo.marker {
            if self.undo.retrans > 0 && !after(end, prior_una) && after(end, marker) {
                self.undo.retrans = (self.undo.retrans - dups as i32).max(0);
            }
        }
        true
    }

    /// `tcp_is_sackblock_valid`.
    fn block_valid(&self, dsack: bool, (start, end): Block) -> bool {
        let tp = &self.tp;
        if after(end, tp.snd_nxt) || !before(start, end) || !before(start, tp.snd_nxt) {
            return false;
        }
        if after(start, tp.snd_una) {
            return true;
        }
        let (true, Some(marker)) = (dsack, self.undo.marker) else { return false };
        if after(end, tp.snd_una) {
            return false;
        }
        !before(start, marker) || (after(end, marker) && !before(start, end.wrapping_sub(tp.max_window)))
    }

    /// Walks a block, leaving out what the last ACK reported already, but not a segment whose first part alone it reported.
    fn take_block(&mut self, (start, end): Block, dup: bool, rs: &mut RateSample, t: &mut Tagged) {
        let mut from = start;
        if !dup {
            for i in 0..usize::from(self.sb.cached) {
                let (cs, ce) = self.sb.cache[i];
                if !after(ce, start) {
                    continue;
                }
                if !before(cs, end) {
                    break;
                }
                if before(from, cs) {
                    self.walk(from, (start, cs), false, rs, t);
                }
                if !after(end, ce) {
                    return;
                }
                // tcp_maybe_skipping_dsack
                if let Some(d) = t.next_dup {
                    if before(d.0, ce) {
                        t.next_dup = None;
                        self.walk(d.0, d, true, rs, t);
                    }
                }
                from = ce;
                if self.sb.highest_seq(&self.tp, &self.rtx) == ce {
                    // Nothing that was told before lies beyond, but what no segment was marked by ("better entrypoint").
                    break;
                }
            }
        }
        self.walk(from, (start, end), dup, rs, t);
    }

    /// `tcp_sacktag_walk`: marks the segments that lie wholly in a block, from the one on that holds `from`. No walk of this ACK goes back: a
    /// duplicate within the block is looked at as it is passed.
    fn walk(&mut self, from: u32, (start, end): Block, dup: bool, rs: &mut RateSample, t: &mut Tagged) {
        let beyond = t.at.filter(|&at| self.rtx.contains(at) && after(self.rtx.get(at).seq, from));
        let mut id = beyond.unwrap_or_else(|| self.rtx.find(from));
        if id != self.rtx.end() {
            self.part_at(id, start);
        }
        while id != self.rtx.end() {
            let s = self.rtx.get(id);
            if !before(s.seq, end) {
                break;
            }
            let covers = |(start, end): Block| !after(start, s.seq) && !before(end, s.end_seq);
            let dup_here = t.next_dup.is_some_and(covers);
            if dup_here || covers((start, end)) {
                let (tags, dup) = (s.tags, dup || dup_here);
                self.tag_one(id, dup, rs, t);
                // A retransmission that is believed to be under way stays by itself.
                if tags & tag::SACKED == 0 && (tags & (tag::RETRANS | tag::LOST) != tag::RETRANS) {
                    self.merge_sacked(id);
                }
            }
            id = id.wrapping_add(1);
        }
        t.at = Some(id);
    }

    /// `tcp_match_skb_to_sack`: an skb that a block begins in is cut in two, though it may be within a segment: behind that one.
    fn part_at(&mut self, id: u32, start: u32) {
        let s = self.rtx.get(id);
        if before(s.seq, start) && before(start, s.end_seq) && self.rtx.joins(id) {
            self.number_anew(id.wrapping_add(1), u32::MAX);
        }
    }

    /// `tcp_shift_skb_data`: a segment that was just SACKed joins the skb before it if that is SACKed, and only then so does the one after it:
    /// fewer skbs leave more room in the send buffer.
    fn merge_sacked(&mut self, id: u32) {
        let prev = id.wrapping_sub(1);
        // What the same ACK takes off the queue is not SACKed any more, and joins nothing.
        if !self.cost.in_pages() || !self.rtx.contains(prev) || !self.rtx.get(id).plainly_sacked() {
            return;
        }
        let (to, len) = (self.rtx.get(prev).skb, self.rtx.get(prev).len());
        // Within an skb nothing joins; its first segment has to.
        let apart = self.rtx.get(id).skb != to;
        if apart && self.rtx.get(prev).plainly_sacked() && self.rtx.get(id).len() == len {
            self.shift_to(id, to, len);
            let next = id.wrapping_add(1);
            if self.rtx.contains(next) {
                self.shift_to(next, to, len);
            }
        }
    }

    /// Moves the SACKed segments of one skb, from `id` on, to the skb `to`.
    fn shift_to(&mut self, mut id: u32, to: u32, len: u32) {
        let from = self.rtx.get(id).skb;
        if from == to {
            return;
        }
        let (mut any, mut whole) = (self.rtx.get(id.wrapping_sub(1)).tags, true);
        let mut all = any;
        while self.rtx.contains(id) {
            let s = self.rtx.get_mut(id);
            if s.skb != from {
                break;
            }
            if !s.plainly_sacked() || s.len() != len {
                whole = false;
                break;
            }
            s.skb = to;
            any |= s.tags;
            all &= s.tags;
            id = id.wrapping_add(1);
        }
        if (any ^ all) & tag::EVER != 0 {
            self.share_retransmission(id, to);
        }
        if !whole {
            return;
        }
        self.app.merged();
        if self.app.told.is_some() {
            self.merge_stamps(id, to);
        }
    }

    /// `tcp_shifted_skb`: of the skb `to`, up to before `id`, a part was sent again; the marks tell it of the whole.
    #[cold]
    fn share_retransmission(&mut self, id: u32, to: u32) {
        let mut at = id;
        while at != self.rtx.first() && self.rtx.get(at.wrapping_sub(1)).skb == to {
            at = at.wrapping_sub(1);
            self.rtx.get_mut(at).tags |= tag::EVER;
        }
    }

    /// `tcp_skb_collapse_tstamp`: the skb `to`, up to before `id`, has one key.
    fn merge_stamps(&mut self, id: u32, to: u32) {
        let mut first = id;
        while first != self.rtx.first() && self.rtx.get(first.wrapping_sub(1)).skb == to {
            first = first.wrapping_sub(1);
        }
        let end = self.rtx.get(id.wrapping_sub(1)).end_seq;
        let from = self.rtx.get(first).seq;
        if let Some(t) = &mut self.app.told {
            t.stamps.merged(from, end);
        }
    }

    /// `tcp_sacktag_one`.
    fn tag_one(&mut self, id: u32, dup: bool, rs: &mut RateSample, t: &mut Tagged) {
        let s = *self.rtx.get(id);
        if dup && s.has(tag::ANY_RETRANS) {
            // Of an skb's segments the first alone tells of it where it counts as one.
            let told = self.profile.undo_counts_skbs && t.dup_skb.replace(s.skb) == Some(s.skb);
            if !told && self.undo.retrans > 0 && self.undo.marker.is_some_and(|m| after(s.end_seq, m)) {
                self.undo.retrans -= 1;
            }
            if s.has(tag::SACKED) && before(s.seq, t.reord) {
                t.reord = s.seq;
            }
        }
        if !after(s.end_seq, self.tp.snd_una) {
            return;
        }
        if !s.has(tag::SACKED) {
            self.rack.advance(&self.tp, &s);
            let mut tags = s.tags;
            if s.has(tag::RETRANS) {
                // Not marked lost: the retransmission is believed to be still under way.
                if s.has(tag::LOST) {
                    tags &= !(tag::LOST | tag::RETRANS);
                    self.tp.lost_out -= 1;
                    self.tp.retrans_out -= 1;
                }
            } else {
                if !s.has(tag::ANY_RETRANS) {
                    // A hole that was never retransmitted is filled: reordering.
                    if before(s.seq, self.sb.highest_seq(&self.tp, &self.rtx)) && before(s.seq, t.reord) {
                        t.reord = s.seq;
                    }
                    if !after(s.end_seq, self.tp.high_seq) {
                        t.flags |= flag::ORIG_SACK_ACKED;
                    }
                    if t.first_us == 0 {
                        t.first_us = s.sent_us();
                    }
                    t.last_us = s.sent_us();
                }
                if s.has(tag::LOST) {
                    tags &= !tag::LOST;
                    self.tp.lost_out -= 1;
                }
            }
            if !self.counted.fack && self.counted.next.is_some_and(|n| before(id, n)) {
                self.counted.sacked += 1;
            }
            tags |= tag::SACKED;
            t.flags |= flag::DATA_SACKED;
            self.tp.sacked_out += 1;
            t.delivered += 1;
            self.rtx.get_mut(id).tags = tags;
            self.rtx.unlist(id);
            self.sb.advance(&self.rtx, id);
        }
        let s = self.rtx.get_mut(id);
        if dup && s.has(tag::RETRANS) {
            s.tags &= !tag::RETRANS;
            self.tp.retrans_out -= 1;
        }
        delivery_rate::delivered(&mut self.tp, self.rtx.get_mut(id), rs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::cc::Cc;
    use crate::tcp::profile::{V4_19, V5_4, V5_10, V5_10_262, V5_15_148, V6_12};
    use crate::tcp::rtx::Seg;
    use crate::tcp::tests::pair::sender;

    /// A D-SACK of three segments.
    #[test]
    fn a_dsack_was_one_duplicate_until_5_10_counts_segments_and_believes_no_more_than_went_again() {
        for (profile, retransmits, believed, dups) in [(&V5_4, 0, true, 1), (&V5_10, 2, false, 3), (&V5_10, 3, true, 3)]
        {
            let mut s = sender(Cc::Reno, profile);
            s.stats.retransmits = retransmits;
            s.tp.max_window = 1 << 16;
            let (una, mut t) = (s.tp.snd_una, Tagged::default());
            let block = (una.wrapping_sub(3 * s.tp.mss_cache), una);
            assert_eq!(s.check_dsack(una, &[block], una, &mut t), believed, "{} {retransmits}", profile.name);
            assert_eq!((s.stats.dsacks, t.delivered), (dups, if believed { dups as u32 } else { 0 }));
        }
    }

    #[test]
    fn what_joins_an_skb_that_went_again_went_again_with_it_though_its_own_skb_goes_on() {
        let mut s = sender(Cc::Reno, &V5_10);
        let (una, mut ids) = (s.tp.snd_una, Vec::new());
        for (i, skb, tags) in [(0, 7, tag::SACKED | tag::EVER), (1, 8, tag::SACKED), (2, 8, 0)] {
            let seq = una.wrapping_add(1000 * i);
            let id = s.rtx.push(Seg::new(seq, seq.wrapping_add(1000), 0, skb));
            s.rtx.get_mut(id).tags = tags;
            ids.push(id);
        }
        s.shift_to(ids[1], 7, 1000);
        let now: Vec<_> = ids.iter().map(|&id| (s.rtx.get(id).skb, s.rtx.get(id).tags)).collect();
        assert_eq!(now, [(7, tag::SACKED | tag::EVER), (7, tag::SACKED | tag::EVER), (8, 0)]);
    }

    #[test]
    fn an_skb_that_came_twice_is_one_to_an_undo_until_2021() {
        for (profile, left) in [(&V4_19, 2), (&V5_4, 2), (&V5_10, 2), (&V5_10_262, 1), (&V5_15_148, 1), (&V6_12, 1)] {
            let mut s = sender(Cc::Reno, profile);
            let una = s.tp.snd_una;
            for i in 0..4 {
                let seq = una.wrapping_add(1000 * i);
                let id = s.rtx.push(Seg::new(seq, seq.wrapping_add(1000), 0, 7 + i / 2));
                s.rtx.get_mut(id).tags = tag::SACKED | tag::EVER;
            }
            (s.undo.marker, s.undo.retrans) = (Some(una), 3);
            let (mut rs, mut t) = (RateSample::default(), Tagged::default());
            s.walk(una, (una, una.wrapping_add(2000)), true, &mut rs, &mut t);
            assert_eq!(s.undo.retrans, left, "{}: one skb of two segments", profile.name);
            s.walk(una.wrapping_add(2000), (una, una.wrapping_add(4000)), true, &mut rs, &mut t);
            assert_eq!(s.undo.retrans, left - if left == 2 { 1 } else { left }, "{}: another", profile.name);
        }
    }
}
