//! What one socket remembers of its fast opening.
//!
//! Stands for: `syn_fastopen`, `syn_data`, `syn_data_acked`, `fastopen_client_fail`, `fastopen_rsk` and their like in Linux 6.12
//! include/linux/tcp.h. Differs: nothing.

use super::cache::Learned;
use super::cookie::Cookie;
use super::queue::Answer;
use crate::sim::{Packet, flags};

/// Why a client's opening was not fast (`tcpi_fastopen_client_fail`). src: linux@6.12 include/uapi/linux/tcp.h enum tcp_fastopen_client_fail
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Fail {
    /// It was, or it did not ask.
    #[default]
    None = 0,
    /// There was no cookie.
    NoCookie = 1,
    /// The peer did not take the data.
    NotAcked = 2,
    /// The peer got a SYN without them only.
    SynAgain = 3,
}

/// What the socket has to tell its host.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct News {
    /// What an answer taught.
    pub learned: Option<Learned>,
    /// A middle box may swallow such connections.
    pub blackhole: bool,
    /// Data came by one that was on trial.
    pub works: bool,
    /// The handshake of a listener's connection is through; by a reset: true.
    pub through: Option<bool>,
}

/// A connection that began before its handshake was through: the request of it (`struct request_sock`).
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// Our first sequence number.
    pub isn: u32,
    /// The peer's.
    pub peer_isn: u32,
    /// What the SYN-ACK acknowledges.
    pub acked: u32,
    /// The window that it offers.
    pub window: u32,
    /// Its first timeout, jiffies.
    pub timeout: u32,
    /// Its timeouts.
    pub timeouts: u32,
    /// Whether there are tail loss probes once it is through.
    pub tlp: bool,
}

/// What a socket remembers.
#[derive(Clone, Debug, Default)]
pub struct Fast {
    /// Goes with the SYN or SYN-ACK that leaves next.
    pub option: Option<Cookie>,
    /// Our SYN had the option (`syn_fastopen`); by the experimental number: true.
    pub asked: Option<bool>,
    /// It carried data.
    pub syn_data: bool,
    /// A SYN's data were taken, by the peer or by us (`syn_data_acked`).
    pub data_acked: bool,
    /// The host had given Fast Open up before (`syn_fastopen_ch`).
    pub on_trial: bool,
    /// Why it was not fast.
    pub fail: Fail,
    /// The call that opened waits with more data (`sk_write_pending`).
    pub writer_waits: bool,
    /// What is answered to the SYN.
    pub answer: Answer,
    /// The handshake that is not through (`fastopen_rsk`).
    pub child: Option<Child>,
    /// What the host is to be told.
    pub news: News,
}

impl Fast {
    /// A SYN or SYN-ACK leaves: it gets what is its own.
    pub fn dress(&mut self, p: &mut Packet) {
        if let Some(c) = self.option.take() {
            c.put(p);
            p.headers += c.option_len() as u16;
        }
        if let Some(c) = self.child.filter(|_| p.flags & flags::ACK != 0) {
            // The request's, whatever came since (tcp_make_synack).
            (p.ack, p.wnd) = (c.acked, c.window.min(65_535));
        }
    }
}
