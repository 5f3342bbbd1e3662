//! ECN's two promises: the receiver echoes a mark until it hears CWR, the sender answers each echo once.
//!
//! For a control that needs marks one by one (DCTCP's kind) the receiver echoes each as it came, and all packets are capable of being marked.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_input.c `tcp_ecn_*`, net/ipv4/tcp_output.c `tcp_ecn_send`, net/ipv4/tcp_dctcp.h; RFC 3168, RFC 8257.
//! Differs: D1 no AccECN.

use crate::sim::{Ecn as Codepoint, Packet, flags};

/// The ECN state of a socket.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ecn {
    /// Both ends speak it.
    pub ok: bool,
    /// The next new data carry CWR.
    cwr_due: bool,
    /// Every ACK carries ECE.
    demand_cwr: bool,
    /// An ECN-capable packet came.
    seen: bool,
}

impl Ecn {
    /// Whether an ECN-capable packet came (`TCP_ECN_SEEN`).
    pub const fn seen(&self) -> bool {
        self.seen
    }
    /// The window was reduced: tell the receiver.
    pub fn queue_cwr(&mut self) {
        self.cwr_due |= self.ok;
    }
    /// It was not, after all (`tcp_ecn_withdraw_cwr`); `stops_echo`: what goes is this end's echo
    /// ([`Profile::undo_stops_echo`](crate::tcp::profile::Profile::undo_stops_echo)).
    pub fn withdraw_cwr(&mut self, stops_echo: bool) {
        *(if stops_echo { &mut self.demand_cwr } else { &mut self.cwr_due }) = false;
    }
    /// The sender answered.
    #[inline]
    pub fn accept_cwr(&mut self, p: &Packet) -> bool {
        if p.flags & flags::CWR == 0 {
            return false;
        }
        self.demand_cwr = false;
        p.payload > 0
    }
    /// A data packet came: true, ACKs must be quick.
    #[inline]
    pub fn check_ce(&mut self, codepoint: Codepoint) -> bool {
        if !self.ok {
            return false;
        }
        match codepoint {
            // No mark on a packet of an ECN flow: probably a retransmission.
            Codepoint::NotEct => self.seen,
            Codepoint::Ce => {
                self.seen = true;
                !core::mem::replace(&mut self.demand_cwr, true)
            }
            Codepoint::Ect0 => {
                self.seen = true;
                false
            }
        }
    }
    /// Echoes are those of marked packets, or of others (`dctcp_ece_ack_cwr`).
    pub fn echo(&mut self, ce: bool) {
        self.demand_cwr = ce;
    }
    /// Marks a packet that goes out; `new_data`: it has data that were never sent; `all`: the control needs ECN, so that ACKs and
    /// retransmissions are capable, too.
    #[inline]
    pub fn mark(&mut self, p: &mut Packet, new_data: bool, all: bool) {
        if !self.ok {
            return;
        }
        if new_data || all {
            p.ecn = Codepoint::Ect0;
        }
        if new_data && core::mem::take(&mut self.cwr_due) {
            p.flags |= flags::CWR;
        }
        if self.demand_cwr {
            p.flags |= flags::ECE;
        }
    }
}

/// What the last packet of data was to a receiver that echoes each mark (`prior_rcv_nxt`, `ce_state` of tcp_dctcp.c).
#[derive(Clone, Copy, Debug, Default)]
pub struct CeState {
    /// Next expected behind it.
    pub prior_rcv_nxt: u32,
    /// It was marked.
    pub ce: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn an_undo_once_stopped_this_ends_echo() {
        for (stops, echoes, tells) in [(true, false, true), (false, true, false)] {
            let mut e = Ecn { ok: true, ..Ecn::default() };
            e.check_ce(Codepoint::Ce);
            e.queue_cwr();
            e.withdraw_cwr(stops);
            let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
            e.mark(&mut p, true, false);
            assert_eq!((p.flags & flags::ECE != 0, p.flags & flags::CWR != 0), (echoes, tells));
        }
    }
}
