//! What goes out: new data as window, TSQ and pacing allow, and every packet's way down.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_write_xmit`, `__tcp_transmit_skb`, `tcp_event_new_data_sent`,
//! `tcp_cwnd_test`, `tcp_snd_wnd_test`, `tcp_nagle_test`. Differs: nothing.

pub(in crate::tcp) mod cut;
mod cwnd;
mod memory;
pub(in crate::tcp) mod mss;
mod mtu_probe;
mod pacing;
mod small_queue;
mod tso;

use crate::sim::{Ecn, Kind, Lower, Packet, Time, Verdict, flags};
use crate::tcp::clock::Clock;
use crate::tcp::options::{BARE_HEADERS, SYN_HEADERS, sack_len};
use crate::tcp::rtx::Seg;
use crate::tcp::sender::chrono::What;
use crate::tcp::sender::delivery_rate;
use crate::tcp::sender::timers::Pending;
use crate::tcp::seq::{after, before};
use crate::tcp::socket::Socket;
use crate::tcp::truesize::PURE_ACK;
use mtu_probe::Probed;
use tso::Defer;

/// How much [`Socket::write_xmit`] sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum Xmit {
    /// What may go.
    All,
    /// Of that the first skb, behind which a program is interrupted.
    Next,
    /// The first skb, whether or not it had better wait for more (`tcp_push_one`).
    First,
    /// A loss probe: one packet, whatever the window.
    Probe,
}

/// Why a transmission did not happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tcp) enum Failed {
    /// The own queue dropped it (`NET_XMIT_DROP`).
    Congested,
    /// The original is still in this host (`-EBUSY`).
    Busy,
    /// The peer's window forbids it (`-EAGAIN`).
    Window,
}

/// What a packet is about to carry.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Load {
    pub seq: u32,
    pub payload: u32,
    pub segs: u32,
    /// Segment size, where there are several.
    pub mss: u32,
    pub flags: u8,
    pub truesize: u32,
    pub again: bool,
    /// It is a reset in answer to a packet, and acknowledges this if it has ACK.
    pub answers: Option<u32>,
    /// It acknowledges this, not all that came: DCTCP's word of what was there before a mark (`__tcp_send_ack`).
    pub acks: Option<u32>,
}

impl Load {
    /// A bare ACK.
    pub const fn ack(seq: u32) -> Load {
        let (payload, segs, mss, truesize) = (0, 1, 0, PURE_ACK);
        Load { seq, payload, segs, mss, flags: flags::ACK, truesize, again: false, answers: None, acks: None }
    }
}

impl Socket {
    /// `__tcp_transmit_skb`: makes a packet of `load` and hands it down. The caller keeps the books.
    #[inline]
    pub(in crate::tcp) fn transmit<L: Lower>(&mut self, load: Load, low: &mut L) -> Result<(), Failed> {
        let tp = &mut self.tp;
        tp.wstamp_ns = tp.wstamp_ns.max(tp.clock.cache);
        let mut p = Packet::blank(Kind::Tcp, self.flow, self.local, self.remote);
        // Its departure time (`skb->tstamp`): an fq below holds it until then.
        p.born = Time::from_ns(tp.wstamp_ns);
        p.seq = load.seq;
        p.payload = load.payload;
        p.segs = load.segs as u16;
        // src: linux@6.12 include/net/ip.h ip_select_ident_segs: counted by the connected socket, a number a segment
        p.ident = self.inet_id;
        self.inet_id = self.inet_id.wrapping_add(p.segs.max(1));
        p.txhash = self.txhash;
        p.flags = load.flags;
        p.truesize = load.truesize;
        p.retransmission = load.again;
        p.dscp = self.dscp;
        if self.opts.timestamps {
            p.tsval = Clock::timestamp(tp.wstamp_ns);
            p.tsecr = self.rcv.ts_recent;
        }
        if load.segs > 1 {
            p.mss = load.mss as u16;
            // On the wire only: what is sent again alone does without.
            p.flags |= if self.profile.gso_push { flags::PSH } else { 0 };
        }
        let syn = load.flags & flags::SYN != 0;
        let pure_ack = load.payload == 0 && load.flags & (flags::SYN | flags::FIN) == 0;
        if syn {
            p.headers = SYN_HEADERS as u16;
            self.opts.put(&mut p, self.announced());
            p.wnd = self.rcv.rcv_wnd.min(65_535);
            if self.params.cc.needs_ecn() {
                p.ecn = Ecn::Ect0; // INET_ECN_xmit, as soon as the socket has its control (tcp_assign_congestion_control)
            }
            if load.flags & flags::ACK != 0 {
                p.ack = self.rcv.rcv_nxt;
            }
            if let Some(f) = &mut self.fast {
                f.dress(&mut p);
            }
        } else if let Some(ack) = load.answers {
            p.headers = BARE_HEADERS as u16;
            (p.ack, p.tsval, p.tsecr) = (ack, 0, 0);
        } else {
            self.rcv.put_sacks(&mut p);
            p.headers = (self.header_len() + sack_len(p.n_sack.into())) as u16;
            p.ack = load.acks.unwrap_or(self.rcv.rcv_nxt);
            let (window, quick) = if self.ack.no_memory { self.rcv.shut_window() } else { self.rcv.select_window() };
            p.wnd = window;
            self.ack.quick_if(quick);
            let new = load.payload > 0 && !before(load.seq, self.tp.snd_nxt);
            self.tp.ecn.mark(&mut p, new, self.params.cc.needs_ecn());
        }
        // A SYN-ACK belongs to the request, not to the socket.
        let charged = !pure_ack && load.flags & (flags::SYN | flags::ACK) != flags::SYN | flags::ACK;
        if charged {
            p.owner = self.owner;
            self.tsq.charge(load.truesize);
        }
        if load.flags & flags::ACK != 0 {
            self.ack_sent(load.segs, load.acks);
        }
        if load.payload > 0 {
            self.data_sent();
            self.stats.data_segs_out += u64::from(load.segs);
            self.stats.bytes_sent += u64::from(load.payload);
            self.start_pacing_timer(load.payload + u32::from(p.headers));
        } else if charged || (pure_ack && load.answers.is_none()) {
            self.stats.bare_out += 1;
        }
        debug_assert!(p.ecn != Ecn::Ce);
        if let Some(rate) = self.rate_for_fq() {
            low.paced(self.owner, self.remote, rate);
        }
        self.takes_route();
        let verdict = low.xmit(Time::from_ns(self.tp.clock.ns), &p);
        if charged && load.segs > 1 {
            // src: linux@6.12 net/ipv4/tcp_offload.c `tcp_gso_segment`, in the call that sends: the small queue is looked at again right after
            if let Some(segments) = low.weighs() {
                self.tsq.recharge(load.truesize, segments);
            }
        }
        let freed = low.freed();
        if charged && freed > 0 {
            self.tsq.free_within(Time::from_ns(self.tp.clock.ns), freed);
        }
        match verdict {
            Verdict::Ok => Ok(()),
            Verdict::Cn => {
                self.stats.own_cn += 1;
                self.enter_cwr();
                Ok(())
            }
            Verdict::Drop => {
                self.stats.own_drops += 1;
                self.enter_cwr();
                Err(Failed::Congested)
            }
        }
    }

    /// `tcp_send_ack`.
    pub(in crate::tcp) fn send_ack<L: Lower>(&mut self, low: &mut L) {
        self.stats.acks_out += 1;
        let _ = self.transmit(Load::ack(self.acceptable_seq()), low);
    }

    /// `__tcp_send_ack` of less than all that came.
    #[cold]
    pub(in crate::tcp) fn send_ack_of<L: Lower>(&mut self, rcv_nxt: u32, low: &mut L) {
        self.stats.acks_out += 1;
        let _ = self.transmit(Load { acks: Some(rcv_nxt), ..Load::ack(self.acceptable_seq()) }, low);
    }

    /// `tcp_acceptable_seq`: `snd_nxt`, unless the peer took its window back.
    pub(in crate::tcp) fn acceptable_seq(&self) -> u32 {
        let end = self.tp.wnd_end();
        if !before(end, self.tp.snd_nxt) || self.tp.snd_nxt.wrapping_sub(end) < 1 << self.rcv.wscale {
            self.tp.snd_nxt
        } else {
            end
        }
    }

    /// `tcp_cwnd_test`: segments that the window lets out, half of it at most at once.
    #[inline]
    fn cwnd_quota(&self) -> u32 {
        let (in_flight, cwnd) = (self.tp.in_flight(), self.tp.snd_cwnd);
        let most = if self.profile.half_window_skbs { (cwnd >> 1).max(1) } else { cwnd };
        most.min(cwnd.saturating_sub(in_flight))
    }

    /// `tcp_snd_wnd_test` for the head of the write queue: all of the skb, if that is no longer than a segment; SACK blocks may leave a segment
    /// longer than what was written when the peer's window was smaller.
    pub(in crate::tcp) fn first_fits_window(&mut self) -> bool {
        self.app.sent(&self.tp);
        let (mss, (head, last)) = (self.current_mss(), self.app.head_skb(&self.tp));
        // A FIN takes room, too.
        let len = if head > mss { mss } else { head + u32::from(last && self.app.fin_is_last()) };
        !after(self.tp.snd_nxt.wrapping_add(len), self.tp.wnd_end())
    }

    /// A FIN ends the head of the write queue, a single segment.
    #[cold]
    fn first_is_last(&mut self, mss: u32) -> bool {
        self.app.sent(&self.tp);
        let (head, _) = self.app.head_skb(&self.tp);
        head <= mss && self.app.fin_at(self.tp.snd_nxt.wrapping_add(head))
    }

    /// `__tcp_push_pending_frames`.
    #[inline]
    pub(in crate::tcp) fn push_pending<L: Lower>(&mut self, low: &mut L) {
        self.push(Xmit::All, low);
    }

    /// So much of it.
    #[inline]
    pub(in crate::tcp) fn push<L: Lower>(&mut self, what: Xmit, low: &mut L) {
        if self.tp.unsent() > 0 && self.write_xmit(low, what) {
            self.check_probe_timer();
        }
    }

    /// Calls `send` with `TCP_NAGLE_OFF`: what is short does not wait, whatever the program has set.
    pub(in crate::tcp) fn without_nagle<T>(&mut self, send: impl FnOnce(&mut Self) -> T) -> T {
        let before = core::mem::replace(&mut self.app.forced, true);
        let out = send(self);
        self.app.forced = before;
        out
    }

    /// `tcp_write_xmit`: sends what may be sent, or `what` of it. True: nothing is in flight and something waits.
    pub(in crate::tcp) fn write_xmit<L: Lower>(&mut self, low: &mut L, what: Xmit) -> bool {
        if self.mtup.is_some() {
            self.look_at_route();
        }
        let mss = self.current_mss();
        let max_segs = self.tso_segs(mss);
        let mut sent = 0;
        if self.mtup.is_some() && matches!(what, Xmit::All | Xmit::Next) {
            match self.mtu_probe(low) {
                Probed::Waits => return false,
                Probed::Sent => sent = 1,
                Probed::No => {}
            }
        }
        let (mut limited, mut rwnd_limited) = (false, false);
        while self.tp.unsent() > 0 {
            if self.pacing_holds() {
                break;
            }
            self.app.sent(&self.tp);
            let (mut head, mut is_tail) = self.app.head_skb(&self.tp);
            if !self.profile.skb_grows && head <= mss {
                // tcp_init_tso_segs, before 6.10: it is counted once if it is one segment, though segments may be shorter, for SACK blocks,
                // when it goes.
                self.app.single = Some(self.tp.snd_nxt.wrapping_add(head));
            }
            let mut quota = self.cwnd_quota();
            if quota == 0 {
                if what != Xmit::Probe
                    && !(self.profile.fin_passes_cwnd && self.app.fin_is_last() && self.first_is_last(mss))
                {
                    break;
                }
                quota = 1;
            }
            let most = quota.min(max_segs) * mss;
            if self.profile.skb_grows && head < most {
                self.app.grow_head(&self.tp, most - head);
                (head, is_tail) = self.app.head_skb(&self.tp);
            }
            // One segment it was when it was counted, so it is sent by the segment.
            let single = head <= mss || self.app.single == Some(self.tp.snd_nxt.wrapping_add(head));
            let mut len = head.min(if single { mss } else { most });
            let fin = head <= mss && self.app.fin_at(self.tp.snd_nxt.wrapping_add(head));
            if after(self.tp.snd_nxt.wrapping_add(len.min(mss) + u32::from(fin)), self.tp.wnd_end()) {
                rwnd_limited = true;
                break;
            }
            if single {
                if is_tail && len < mss && !self.nagle_passes() {
                    break;
                }
            } else {
                if matches!(what, Xmit::All | Xmit::Next) {
                    match self.tso_defer(max_segs, head, is_tail) {
                        Defer::SendNow => {}
                        Defer::Cwnd => {
                            limited = true;
                            break;
                        }
                        Defer::Rwnd => {
                            rwnd_limited = true;
                            break;
                        }
                        Defer::Other => break,
                    }
                }
                // A short last segment goes along where Nagle lets it (tcp_mss_split_point).
                let window = self.tp.wnd_end().wrapping_sub(self.tp.snd_nxt);
                len = len.min(window);
                if len < most && (is_tail || window < most) && self.nagle_holds() {
                    len -= len % mss;
                }
            }
            if len < head && self.gso_max_segs > 1 {
                self.sets_aside_for_head();
                self.app.split_head(self.tp.snd_nxt.wrapping_add(len));
                if !self.profile.skb_grows {
                    // What is left is counted anew (tso_fragment).
                    self.app.single = (head - len <= mss).then_some(self.tp.snd_nxt.wrapping_add(head));
                }
            }
            let truesize = self.cost.of(len);
            if self.small_queue_full(truesize, None) {
                break;
            }
            let Ok(segs) = self.send_new(len, mss, truesize, low) else { break };
            if len < segs * mss {
                // tcp_minshall_update; a probe of a closed window is no short segment to it (tcp_write_wakeup).
                self.snd_sml = self.tp.snd_nxt;
            }
            sent += segs;
            if what != Xmit::All {
                break;
            }
        }
        if rwnd_limited {
            self.chrono.start(What::RwndLimited, self.tp.clock.j32());
        } else if self.chrono.is(What::RwndLimited) {
            self.chrono_stop(What::RwndLimited);
        }
        limited |= self.tp.in_flight() >= self.tp.snd_cwnd;
        if sent > 0 || (limited && self.profile.limits_unsent) {
            self.cwnd_validate(limited);
        }
        if sent > 0 {
            if self.tp.in_cwnd_reduction() {
                self.tp.prr_out += sent;
            }
            if what != Xmit::Probe {
                self.schedule_loss_probe(false);
            }
            return false;
        }
        self.tp.packets_out == 0 && self.tp.unsent() > 0
    }

    /// `tcp_chrono_stop`.
    #[inline]
    pub(in crate::tcp) fn chrono_stop(&mut self, what: What) {
        let idle = self.tp.packets_out == 0 && self.tp.unsent() == 0;
        self.chrono.stop(what, idle, self.tp.clock.j32());
    }

    /// Nagle lets the head of the write queue go.
    pub(in crate::tcp) fn first_passes_nagle(&self) -> bool {
        self.app.unsent_data(&self.tp) >= self.current_mss() || self.nagle_passes()
    }

    /// The congestion window lets something out.
    pub(in crate::tcp) fn has_room(&self) -> bool {
        self.cwnd_quota() > 0
    }

    /// `tcp_nagle_test` for a tail shorter than a segment.
    fn nagle_passes(&self) -> bool {
        self.app.fin_is_last() || !self.nagle_holds()
    }

    /// `tcp_nagle_check` for a segment that is not full.
    fn nagle_holds(&self) -> bool {
        if self.app.corked() {
            return true;
        }
        // Minshall: only a short segment that is not acknowledged holds the next back.
        let short_out = after(self.snd_sml, self.tp.snd_una) && !after(self.snd_sml, self.tp.snd_nxt);
        !self.app.nodelay() && self.tp.packets_out != 0 && short_out
    }

    /// Sends the next `len` bytes as one skb (and the FIN, if it is their end) and puts them on the retransmission queue. In how many segments.
    #[inline(always)] // one hot caller; the other probes a closed window
    fn send_new<L: Lower>(&mut self, len: u32, mss: u32, truesize: u32, low: &mut L) -> Result<u32, Failed> {
        let seq = self.tp.snd_nxt;
        let segs = if len <= mss { 1 } else { len.div_ceil(mss) };
        let end_data = seq.wrapping_add(len);
        // Where a probe fills the window the FIN is cut off (tcp_write_wakeup).
        let cut = len <= mss && self.tp.wnd_end() == end_data;
        let fin = !cut && self.app.fin_at(end_data);
        let eor = self.app.eors.front() == Some(&end_data);
        let mut fl = flags::ACK;
        if self.app.push_at(end_data) {
            fl |= flags::PSH;
        }
        if fin {
            fl |= flags::FIN;
        }
        let prior = self.tp.wstamp_ns;
        let load = Load { seq, payload: len, segs, mss, flags: fl, truesize, again: false, answers: None, acks: None };
        if let Err(failed) = self.transmit(load, low) {
            self.app.kept(end_data, fl & flags::PSH != 0, eor);
            return Err(failed);
        }
        let sent_ns = self.tp.wstamp_ns;
        self.pace_after(len, prior);
        let skb = self.app.new_skb();
        let first_prior = self.tp.packets_out;
        let mut at = seq;
        let mut template = Seg::new(seq, seq, 0, skb);
        template.sent_ns = sent_ns;
        template.in_host = 1;
        delivery_rate::sent(&mut self.tp, &mut template);
        template.flight = end_data.wrapping_sub(self.tp.snd_una);
        if self.rtx.is_empty() {
            self.sb.begin(&self.rtx);
        }
        for i in 0..segs {
            let last = i + 1 == segs;
            let end = if last { end_data.wrapping_add(u32::from(fin)) } else { at.wrapping_add(mss) };
            // What is the segment's own is written where it stands, so that it is copied once.
            let s = self.rtx.push_like(&template);
            (s.seq, s.end_seq) = (at, end);
            s.tx_in_flight = s.tx_in_flight.saturating_add(i as u16);
            s.flags = if last { fl & (flags::FIN | flags::PSH) } else { 0 };
            s.eor = last && eor;
            at = end;
        }
        self.tp.snd_nxt = at;
        self.app.sent(&self.tp);
        self.tp.packets_out += segs;
        // Before its handshake is through the timer is the SYN-ACK's.
        if (first_prior == 0 || self.timers.pending == Pending::LossProbe) && !self.began_at_once() {
            self.rearm_rto();
        }
        if self.profile.checks_space_on_send {
            self.app_check_space();
        }
        Ok(segs)
    }

    /// `tcp_write_wakeup`: probes a closed window, with data if a little fits. False: the own queue refused the probe.
    pub(in crate::tcp) fn window_probe<L: Lower>(&mut self, low: &mut L) -> bool {
        let room = self.tp.wnd_end().wrapping_sub(self.tp.snd_nxt) as i32;
        let data = self.app.unsent_data(&self.tp);
        if room > 0 && data > 0 {
            if self.mtup.is_some() {
                self.look_at_route();
            }
            let mss = self.current_mss();
            let len = data.min(room as u32).min(mss);
            let truesize = self.cost.of(len);
            let (head, _) = self.app.head_skb(&self.tp);
            let end = self.tp.snd_nxt.wrapping_add(len);
            let head_end = self.tp.snd_nxt.wrapping_add(head);
            if before(self.app.pushed_seq, head_end) {
                self.app.pushed_seq = head_end;
            }
            if len < head {
                // What is cut off carries the PSH that the skb got.
                self.app.push_end(head_end);
            }
            self.app.push_end(end);
            let sent = self.send_new(len, mss, truesize, low).is_ok();
            if sent && self.tp.snd_nxt == end && self.app.fin_at(end) {
                self.app.push_end(end);
            }
            return sent;
        }
        let load = Load {
            seq: self.tp.snd_una.wrapping_sub(1),
            payload: 0,
            segs: 1,
            mss: 0,
            flags: flags::ACK,
            truesize: self.cost.control(),
            again: false,
            answers: None,
            acks: None,
        };
        self.transmit(Load { truesize: PURE_ACK, ..load }, low).is_ok()
    }
}
