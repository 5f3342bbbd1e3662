//! A connection whose SYN carries data (TCP Fast Open, RFC 7413, 4.2): what goes with it, and what its answer says.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_output.c `tcp_send_syn_data`; net/ipv4/tcp_input.c `tcp_rcv_fastopen_synack`,
//! `tcp_non_congestion_loss_retransmit`; net/ipv4/tcp_fastopen.c `tcp_fastopen_add_skb`, `tcp_fastopen_active_detect_blackhole`.
//! Differs: D1 a SYN that may carry data and has none (a write of 0 bytes) is one packet in the books, not two; D2 an answer without the MSS
//! option leaves what the host knows of the server's; D3 whether it worked is judged when the program closes, Linux does so when the socket
//! is gone.

use crate::sim::{Lower, Packet, Time, flags};
use crate::tcp::fastopen::cache::{Learned, Leave, Permit};
use crate::tcp::fastopen::cookie::Cookie;
use crate::tcp::fastopen::state::{Fail, Fast, News};
use crate::tcp::input::ack_snd::MAX_QUICKACKS;
use crate::tcp::options::BARE_HEADERS;
use crate::tcp::rtx::{Seg, tag};
use crate::tcp::sender::chrono::What;
use crate::tcp::seq::later;
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

/// Room that a SYN with data leaves for options, its own and those that middle boxes add. src: linux@6.12 include/net/tcp.h MAX_TCP_OPTION_SPACE
const OPTION_SPACE: u32 = 40;

impl Socket {
    /// Opens the connection by a write of `bytes`, of which the SYN takes as many as it may; how many. `waits`: the call blocks, and goes
    /// on with the rest ([`Socket::write`]).
    pub fn connect_fast<L: Lower>(&mut self, now: Time, leave: &Leave, bytes: u32, waits: bool, low: &mut L) -> u32 {
        self.connect_init(now);
        let path = self.mtu - BARE_HEADERS;
        let mss = leave.mss.map_or(path, u32::from).min(path);
        let (option, data) = match leave.permit {
            Permit::Data(cookie) => (cookie, bytes.min(mss.saturating_sub(OPTION_SPACE))),
            Permit::Ask(request) => (Some(request), 0),
            Permit::Plain => (None, 0),
        };
        if matches!(leave.permit, Permit::Data(_)) {
            self.sync_mss(); // tcp_send_syn_data, to what the host knows of the path
        }
        self.fast = Some(Box::new(Fast {
            option,
            asked: option.map(|c| c.experimental),
            syn_data: data > 0,
            on_trial: leave.on_trial,
            fail: if matches!(leave.permit, Permit::Ask(_)) { Fail::NoCookie } else { Fail::None },
            writer_waits: waits && !(matches!(leave.permit, Permit::Data(_)) && data == bytes),
            ..Fast::default()
        }));
        if data > 0 {
            self.chrono.start(What::Busy, self.tp.clock.j32());
        }
        self.send_first_syn(data, low);
        data
    }

    /// The SYN and its data are two packets in the books, for the SYN goes again alone.
    pub(in crate::tcp) fn queue_syn_data(&mut self, syn: Seg, data: u32) {
        let mut s = Seg::new(syn.end_seq, syn.end_seq.wrapping_add(data), flags::PSH, self.app.new_skb());
        s.sent_ns = syn.sent_ns;
        self.rtx.push(syn);
        self.rtx.push(s);
        self.tp.packets_out = 2;
    }

    /// What the host is to be told.
    pub fn take_news(&mut self) -> News {
        self.fast.as_mut().map_or(News::default(), |f| core::mem::take(&mut f.news))
    }

    /// Our SYN is answered, and the connection is open: what the answer says of our data, what it brings, and its own ACK.
    pub(in crate::tcp) fn fast_answer<L: Lower>(&mut self, p: &Packet, low: &mut L) {
        let Some(f) = self.fast.as_mut() else { return };
        let fast = f.asked.is_some() || f.syn_data;
        let unacked = f.syn_data && !self.rtx.is_empty();
        if fast {
            // A cookie that nobody asked for is none.
            let cookie = f.asked.and(Cookie::of(p));
            let again = self.stats.retransmits > 0;
            let try_experimental = match (f.asked, cookie) {
                (Some(experimental), None) if !again && !f.syn_data => 1 + u8::from(experimental),
                _ => 0,
            };
            // Neither cookie nor data, and the SYN went again: only that arrived.
            let syn_lost = again && f.asked.is_some() && cookie.is_none() && unacked;
            f.news.learned = Some(Learned { mss: p.mss, cookie, syn_lost, try_experimental });
            if unacked {
                f.fail = if again { Fail::SynAgain } else { Fail::NotAcked };
            } else {
                f.data_acked = f.syn_data;
                if f.data_acked && self.tp.delivered > 1 && self.profile.handshake_delivers {
                    // SYN and data were one packet.
                    self.tp.delivered -= 1;
                }
            }
        }
        let waits = f.writer_waits;
        if unacked {
            self.syn_data_again(low);
        } else {
            if fast {
                self.take_syn_data(p);
            }
            if waits || self.in_pingpong() {
                // The data that wait, or those that are to be expected, will carry the ACK.
                self.ack.scheduled = true;
                self.enter_quickack(MAX_QUICKACKS);
                self.ack_within_200_ms();
                return;
            }
            self.send_ack(low);
        }
        self.push_pending(low);
        self.app_check_space();
    }

    /// The SYN's data were not taken: they go again at once, in segments of the size that the peer announced. It is no sign of congestion.
    fn syn_data_again<L: Lower>(&mut self, low: &mut L) {
        let mss = self.current_mss();
        let Some(whole) = self.rtx.pop() else { return };
        self.tp.packets_out -= 1;
        if whole.has(tag::LOST) {
            self.tp.lost_out -= 1;
        }
        let mut at = later(whole.seq, self.tp.snd_una);
        while at != whole.end_seq {
            let end = at.wrapping_add(mss.min(whole.end_seq.wrapping_sub(at)));
            let mut s = Seg::new(at, end, if end == whole.end_seq { whole.flags } else { 0 }, whole.skb);
            s.sent_ns = whole.sent_ns;
            let id = self.rtx.push(s);
            self.tp.packets_out += 1;
            self.sb.mark_lost(&mut self.tp, &mut self.rtx, &mut self.ca, id);
            at = end;
        }
        self.lost_without_congestion();
        self.xmit_retransmit_queue(low);
    }

    /// `tcp_non_congestion_loss_retransmit`, but for what goes again.
    pub(in crate::tcp) fn lost_without_congestion(&mut self) {
        if self.tp.ca_state != CaState::Loss {
            self.tp.high_seq = self.tp.snd_nxt;
            self.tp.snd_ssthresh = self.tp.current_ssthresh();
            self.tp.prior_ssthresh = 0;
            self.undo.marker = None;
            self.set_ca_state(CaState::Loss);
        }
    }

    /// `tcp_fastopen_add_skb`: a SYN or its answer brings data, perhaps their end.
    pub(in crate::tcp) fn take_syn_data(&mut self, p: &Packet) {
        let fin = p.flags & flags::FIN != 0;
        if p.payload == 0 && !fin {
            return;
        }
        let end = self.rcv.rcv_nxt.wrapping_add(p.payload);
        if p.payload > 0 {
            self.rcv.queue(p.payload, p.payload);
        }
        self.rcv.advance(end.wrapping_add(u32::from(fin)));
        // Of what comes with a SYN the FIN is not counted.
        self.rcv.bytes_received -= u64::from(fin);
        if let Some(f) = self.fast.as_mut() {
            f.data_acked = true;
        }
        if fin {
            self.take_fin();
        }
    }

    /// `tcp_fastopen_active_detect_blackhole`, when a timer fires; `over`: for the last time.
    pub(in crate::tcp) fn suspect_blackhole(&mut self, over: bool) {
        let again = self.rto.retransmits;
        let Some(f) = self.fast.as_mut() else { return };
        if (f.asked.is_some() || f.syn_data || f.data_acked) && (again == 2 || (again < 2 && over)) {
            f.news.blackhole = true;
        }
    }

    /// `tcp_validate_incoming`: a reset out of order before any data: a middle box may have swallowed them.
    pub(in crate::tcp) fn suspect_early_reset(&mut self) {
        let suspicious = self.rcv.payload() == 0 && self.state == State::Established;
        if let Some(f) = self.fast.as_mut().filter(|f| f.asked.is_some()) {
            f.news.blackhole |= suspicious;
        }
    }

    /// `tcp_fastopen_active_disable_ofo_check`, when the program closes: did it work?
    pub(in crate::tcp) fn judge_fast(&mut self) {
        let worked = self.rcv.payload() > 0;
        let only_fin = self.rcv.ofo.is_lone_fin();
        if let Some(f) = self.fast.as_mut().filter(|f| f.asked.is_some()) {
            f.news.works |= worked && f.on_trial;
            f.news.blackhole |= !worked && only_fin;
        }
    }
}
