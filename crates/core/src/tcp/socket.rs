//! The socket: its parts. What it does stands above it: `input`, `recovery`, `output`, `timer`, `program`.

use super::cc::{Algorithm, Tunables};
use super::config::{Config, Params};
use super::ecn::CeState;
use super::fastopen::state::Fast;
use super::forward_alloc::ForwardAlloc;
use super::options::Offer;
use super::profile::{Growth, Profile};
use super::receiver::delack::Delack;
use super::receiver::window::Rcv;
use super::rtx::Rtx;
use super::sender::app::App;
use super::sender::chrono::Chrono;
use super::sender::counted::Counted;
use super::sender::loss::{Rto, Tlp, Undo};
use super::sender::mtup::Mtup;
use super::sender::rack::Rack;
use super::sender::rtt::Rtt;
use super::sender::scoreboard::Scoreboard;
use super::sender::timers::Timers;
use super::sender::tsq::Tsq;
use super::stats::Stats;
use super::tp::{Pacing, Tp};
use super::truesize::{self, SkbCost};
use crate::sim::{Bytes, FlowId, NodeId, Owner};

/// State of a connection. src: rfc9293#3.3.2
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not open (any more).
    Closed,
    /// Waits for a SYN.
    Listen,
    /// Sent a SYN.
    SynSent,
    /// Sent a SYN-ACK.
    SynRecv,
    /// Open.
    Established,
    /// Sent FIN.
    FinWait1,
    /// Its FIN is acknowledged.
    FinWait2,
    /// Got FIN.
    CloseWait,
    /// Both sent FIN.
    Closing,
    /// Got FIN, then sent it.
    LastAck,
}

/// One end of a connection. Either may send.
#[derive(Clone, Debug)]
pub struct Socket {
    pub(super) flow: FlowId,
    pub(super) local: NodeId,
    pub(super) remote: NodeId,
    pub(super) owner: Owner,
    pub(super) dscp: u8,
    pub(super) mtu: u32,
    pub(super) profile: &'static Profile,
    pub(super) params: Params,
    pub(super) tunables: Tunables,
    pub(super) cost: SkbCost,
    /// Largest GSO skb, segments.
    pub(super) gso_max_segs: u32,
    /// `tcp_limit_output_bytes`.
    pub(super) limit_output_bytes: u64,
    /// How often another `sk_txhash` was drawn.
    pub(super) txhash: u8,
    /// `inet_id`: the next packet's IP identification.
    pub(super) inet_id: u16,
    /// Segment size that the peer announced, without options.
    pub(super) mss_clamp: u32,
    /// `TCP_MAXSEG`.
    pub(super) user_mss: Option<u32>,
    /// What is offered; from the handshake on, what both agreed on.
    pub(super) opts: Offer,
    /// The route, and the search for its MTU, where somebody gave it one.
    pub(super) mtup: Option<Box<Mtup>>,
    /// TCP Fast Open, where a program asked for it.
    pub(super) fast: Option<Box<Fast>>,
    /// The handshake was done.
    pub(super) opened: bool,
    /// The packet that completes a request is looked at: Linux begins congestion control behind its ACK (`tcp_rcv_state_process`), so that what a
    /// control hears of that ACK is forgotten.
    pub(super) completes: bool,

    pub(super) state: State,
    pub(super) tp: Tp,
    pub(super) ca: Algorithm,
    pub(super) rtx: Rtx,
    pub(super) sb: Scoreboard,
    pub(super) rack: Rack,
    pub(super) counted: Counted,
    pub(super) tlp: Tlp,
    pub(super) rto: Rto,
    pub(super) rtt: Rtt,
    pub(super) undo: Undo,
    pub(super) ce_state: CeState,
    pub(super) tsq: Tsq,
    pub(super) timers: Timers,
    pub(super) chrono: Chrono,
    pub(super) app: App,
    pub(super) rcv: Rcv,
    /// Memory that is set aside, where kernels keep it.
    pub(super) mem: ForwardAlloc,
    pub(super) ack: Delack,
    pub(super) stats: Stats,
    /// Sequence number of the segment that last updated the peer's window.
    pub(super) snd_wl1: u32,
    /// When a small GSO skb began to wait, jiffies (`tso_deferred`, before 4.0).
    pub(super) tso_deferred: Option<u32>,
    /// End of the last short segment sent.
    pub(super) snd_sml: u32,
    pub(super) bytes_acked: u64,
    /// When the first SYN-ACK was sent, microseconds.
    pub(super) synack_sent: u64,
    /// How often it went again (`num_retrans`).
    pub(super) synacks_again: u32,
    /// When a repeated SYN, or an unacceptable packet before the handshake is through, was last answered, jiffies
    /// (`tcp_rsk(req)->last_oow_ack_time`).
    pub(super) request_oow_ack: Option<u64>,
    /// When an unacceptable packet was last answered, jiffies.
    pub(super) last_oow_ack: Option<u64>,
    /// The world reports freed packets one by one.
    pub(super) counts_host_copies: bool,
}

impl Socket {
    fn new(cfg: &Config, state: State) -> Socket {
        let (p, profile) = (cfg.params, cfg.profile);
        let mss = cfg.mtu - super::options::HEADERS;
        let mut tp = Tp::new(cfg.hz, cfg.start_seq);
        tp.reordering = p.reordering;
        tp.counts_acks = profile.growth != Growth::Segments;
        tp.limits = profile.limits;
        tp.rate_by_newest = profile.rate_by_newest;
        tp.pacing_shift = p.pacing_shift;
        tp.gso_max_size = p.gso_max_size;
        tp.gso_payload = p.gso_max_size - (super::truesize::max_tcp_header(p.max_header) + 1);
        tp.min_tso_segs = p.min_tso_segs;
        if p.enforce_pacing {
            tp.pacing_status = Pacing::Needed;
        }
        let gso = u16::MAX;
        let builds_gso = cfg.tso || (profile.gso_always && p.gso_forced);
        let gso_max_segs = p.gso_max_segs.or(if builds_gso { gso } else { 1 }).max(1);
        if profile.bbr_first && !builds_gso && gso_max_segs == 1 {
            // sk_setup_caps leaves sk_gso_max_size at 0, and less headers that is no bound.
            tp.gso_payload = u32::MAX;
        }
        let limit = Bytes::new(u64::from(profile.limit_output_bytes));
        let ca = Algorithm::new(p.cc, &cfg.cc, profile, &mut tp);
        Socket {
            flow: cfg.flow,
            local: cfg.local,
            remote: cfg.remote,
            owner: cfg.owner,
            dscp: cfg.dscp,
            mtu: cfg.mtu,
            profile,
            params: p,
            tunables: cfg.cc,
            cost: SkbCost::new(profile, p.max_header, mss, truesize::in_pages(profile, builds_gso, gso_max_segs)),
            gso_max_segs: u32::from(gso_max_segs),
            limit_output_bytes: p.limit_output_bytes.or(limit).get(),
            mss_clamp: cfg.mtu - 40,
            user_mss: None,
            opts: Offer::default(),
            mtup: None,
            fast: None,
            opened: false,
            completes: false,
            state,
            ca,
            rtx: Rtx::default(),
            sb: Scoreboard::new(profile),
            rack: Rack::new(profile.detection),
            counted: Counted::new(profile.detection),
            tlp: Tlp::default(),
            rto: Rto::default(),
            rtt: Rtt::new(cfg.hz, profile.echo_rtt_zero),
            undo: Undo::default(),
            ce_state: CeState::default(),
            tsq: Tsq::default(),
            timers: Timers::OFF,
            chrono: Chrono::NEW,
            app: App::new(p.wmem_default.get() as u32, cfg.start_seq),
            rcv: Rcv::new(&p, profile),
            mem: ForwardAlloc::default(),
            ack: Delack::new(p.stretch_acks, profile.pingpong_threshold),
            stats: Stats::default(),
            snd_wl1: 0,
            tso_deferred: None,
            snd_sml: cfg.start_seq,
            inet_id: cfg.start_seq as u16,
            txhash: 0,
            bytes_acked: 0,
            synack_sent: 0,
            synacks_again: 0,
            request_oow_ack: None,
            last_oow_ack: None,
            counts_host_copies: false,
            tp,
        }
    }
    /// A socket that will connect.
    pub fn client(cfg: &Config) -> Socket {
        Socket::new(cfg, State::Closed)
    }
    /// A socket that listens for one connection.
    pub fn server(cfg: &Config) -> Socket {
        Socket::new(cfg, State::Listen)
    }

    /// The other end's node.
    pub const fn remote(&self) -> NodeId {
        self.remote
    }

    /// By how many bits the windows that it announces are scaled, once the handshake is over.
    pub fn scale_to_come(&self) -> u8 {
        let mut r = self.rcv.clone();
        r.first_window();
        r.wscale as u8
    }

    /// State of the connection.
    pub fn state(&self) -> State {
        self.state
    }
}
