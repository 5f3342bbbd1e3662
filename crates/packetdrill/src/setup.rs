//! The shell commands that scripts begin with: sysctls, `tc`, and the common file of defaults that packetdrill's own scripts share.

use crate::fastopen::{Fastopen, Keys};
use crate::link::Qdisc;
use std::collections::BTreeMap;
use wavetank_core::sim::{Auto, Bytes, Rate, Span};
use wavetank_core::tcp::{Cc, Keepalive, Offer, Params, Patience, Probing, Route, Sysctls};

/// How the host is set.
#[derive(Clone, Debug)]
pub struct Setup {
    /// `[tcp]`.
    pub params: Params,
    /// What SYNs offer.
    pub offer: Offer,
    /// The device's qdisc.
    pub qdisc: Qdisc,
    /// `tcp_notsent_lowat`.
    pub notsent_lowat: u32,
    /// Super-packets are cut before the device.
    pub segments: bool,
    /// `tcp_syn_retries`.
    pub syn_retries: u32,
    /// `tcp_retries2` and its like.
    pub patience: Patience,
    /// What else the host is set to.
    pub sysctls: Sysctls,
    /// `tcp_keepalive_time` and its like.
    pub keepalive: Keepalive,
    /// `tcp_ecn_fallback`.
    pub ecn_fallback: bool,
    /// Fast Open.
    pub fastopen: Fastopen,
    /// The route to the peer.
    pub route: Route,
    /// `tcp_mtu_probing` and its like.
    pub probing: Probing,
    /// `net.core.wmem_max` and `rmem_max`: what `SO_SNDBUF` and `SO_RCVBUF` may ask for, bytes.
    pub wmem_max: u32,
    pub rmem_max: u32,
    /// Files that it makes, and their bytes.
    pub files: BTreeMap<String, u64>,
}

/// Sysctls that are not carried out: what the kernel has at boot may be asked for, nothing else. src: linux@6.12 net/ipv4/tcp_ipv4.c
/// tcp_sk_init; of `tcp_ecn_option`, which came later, of `tcp_fack`, which went, Documentation/networking/ip-sysctl.rst
const AT_BOOT: &[(&str, &str)] = &[
    ("tcp_fack", "0"),
    ("tcp_recovery", "1"),
    ("tcp_min_snd_mss", "48"),
    ("tcp_thin_linear_timeouts", "0"),
    ("tcp_ecn_option", "2"),
    ("tcp_syncookies", "1"),
    ("tcp_no_metrics_save", "0"),
    ("tcp_no_ssthresh_metrics_save", "1"),
    ("tcp_mtu_probe_floor", "48"),
    ("tcp_abort_on_overflow", "0"),
    ("tcp_adv_win_scale", "1"),
    ("tcp_shrink_window", "0"),
    ("tcp_tw_reuse", "2"),
    ("tcp_plb_enabled", "0"),
];

/// src: linux@6.12 include/net/sock.h SK_WMEM_MAX, SK_RMEM_MAX: 256 packets of 256 bytes, with their skbs
const SK_MEM_MAX: u32 = 212_992;

/// The least that they may be set to. src: linux@6.12 net/core/sysctl_net_core.c min_sndbuf, min_rcvbuf (include/net/sock.h SOCK_MIN_SNDBUF,
/// SOCK_MIN_RCVBUF)
const LEAST: (u32, u32) = (4_608, 2_304);

/// What a sysctl of seconds (or milliseconds) that the kernel has in jiffies holds at 1000 Hz. src: linux@6.12 kernel/sysctl.c proc_dointvec_jiffies
const SECONDS: u32 = (i32::MAX / 1_000) as u32;

/// More is no time that an ACK waits.
const NANOSECONDS: u32 = 1_000_000_000;

/// A sysctl that no released kernel had.
const GONE: &str = "tcp_fastopen_cookies";

/// What packetdrill's scripts set by the file that they share. src: google/packetdrill gtests/net/common/defaults.sh
const DEFAULTS: &[(&str, &str)] = &[
    ("tcp_rmem", "4096 540000 15728640"),
    ("tcp_wmem", "4096 262144 4194304"),
    ("tcp_timestamps", "1"),
    ("tcp_frto", "2"),
    ("tcp_sack", "1"),
    ("tcp_reordering", "3"),
    ("tcp_congestion_control", "cubic"),
    ("tcp_slow_start_after_idle", "0"),
    ("tcp_early_retrans", "4"),
    ("tcp_ecn", "0"),
    ("tcp_pacing_ss_ratio", "200"),
    ("tcp_pacing_ca_ratio", "120"),
    ("tcp_syn_retries", "5"),
    ("tcp_fastopen", "0x70403"),
    ("tcp_fastopen_key", "a1a1a1a1-b2b2b2b2-c3c3c3c3-d4d4d4d4"),
];

impl Setup {
    /// As the kernel boots.
    pub fn new() -> Setup {
        Setup {
            params: Params::default(),
            offer: Offer::default(),
            qdisc: Qdisc::None,
            notsent_lowat: u32::MAX,
            segments: false,
            syn_retries: 6,
            patience: Patience::default(),
            sysctls: Sysctls::default(),
            keepalive: Keepalive::default(),
            ecn_fallback: true,
            fastopen: Fastopen::default(),
            route: Route::default(),
            probing: Probing::default(),
            wmem_max: SK_MEM_MAX,
            rmem_max: SK_MEM_MAX,
            files: BTreeMap::new(),
        }
    }

    /// Carries out shell commands. The error says which of them is not known.
    pub fn shell(&mut self, text: &str) -> Result<(), String> {
        let joined = text.replace("\\\n", " ");
        for line in joined.lines() {
            let line = line.split('#').next().unwrap_or("").trim();
            for command in line.split(';').map(str::trim).filter(|c| !c.is_empty()) {
                self.command(command)?;
            }
        }
        Ok(())
    }

    fn command(&mut self, text: &str) -> Result<(), String> {
        if let Some((first, other)) = text.split_once("||") {
            // The other is for kernels that do not know the first.
            return self.command(if first.contains(GONE) { other.trim() } else { first.trim() });
        }
        let words = words(text);
        let unknown = || Err(format!("the command \"{text}\""));
        let first = words.first().map_or("", String::as_str);
        match first.rsplit('/').next().unwrap_or("") {
            "defaults.sh" => {
                self.fastopen.forgets = true;
                DEFAULTS.iter().try_for_each(|(k, v)| self.sysctl(k, v))
            }
            "true" | "sysctl_restore_${PPID}.sh" => Ok(()),
            "set_sysctls.py" | "sysctl" => words[1..]
                .iter()
                .take_while(|w| !w.starts_with(['>', '&']))
                .filter(|w| !w.starts_with('-'))
                .try_for_each(|w| match w.split_once('=') {
                    Some((k, v)) => {
                        let k = k.trim_start_matches("/proc/sys/").replace('/', ".");
                        match k.split_once("net.ipv4.") {
                            Some(("", k)) => self.sysctl(k, v),
                            _ => self.core_sysctl(&k, v).ok_or(format!("the sysctl {k}={v}")),
                        }
                    }
                    None => Err(format!("the command \"{text}\"")),
                }),
            "ip" if words.get(1).is_some_and(|w| w == "tcp_metrics") => {
                self.fastopen.forgets = true;
                Ok(())
            }
            "ip" if words.len() > 4 && words[1] == "route" && ["change", "replace"].contains(&words[2].as_str()) => {
                self.route = route(&words[4..]).ok_or(format!("the command \"{text}\""))?;
                Ok(())
            }
            // What the kernel's module has anyway.
            "echo" if text == "echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect" => Ok(()),
            // TCP builds super-packets all the same; the device does not take them.
            "ethtool" if text == "ethtool -K tun0 tso off gso off" || text == "ethtool -K tun0 gso off tso off" => {
                self.segments = true;
                Ok(())
            }
            "rm" | "/bin/rm" if words.len() == 3 && words[1] == "-f" => {
                self.files.remove(&words[2]);
                Ok(())
            }
            "dd" | "/bin/dd" => self.zeroes(&words[1..]).ok_or(format!("the command \"{text}\"")),
            "tc" if words.get(1).is_some_and(|w| w == "qdisc") => {
                let Some(root) = words.iter().position(|w| w == "root") else { return unknown() };
                if words.get(2).is_some_and(|w| w == "del" || w == "delete") {
                    self.qdisc = Qdisc::None;
                    return Ok(());
                }
                self.tc(&words[root + 1..]).ok_or(format!("the command \"{text}\""))
            }
            _ => unknown(),
        }
    }

    /// `dd` of zeroes into a file.
    fn zeroes(&mut self, words: &[String]) -> Option<()> {
        let (mut path, mut zero, mut size, mut count) = (None, false, 512, None);
        for w in words {
            match w.split_once('=')? {
                ("if", source) => zero = source == "/dev/zero",
                ("of", p) => path = Some(p.to_string()),
                ("bs", n) => size = bytes(n)?,
                ("count", n) => count = Some(n.parse::<u32>().ok()?),
                ("status", "none") => {}
                _ => return None,
            }
        }
        self.files.insert(path.filter(|_| zero)?, u64::from(size) * u64::from(count?));
        Some(())
    }

    fn tc(&mut self, words: &[String]) -> Option<()> {
        let value = |key: &str| {
            let i = words.iter().position(|w| w == key)?;
            words.get(i + 1).map(String::as_str)
        };
        self.qdisc = match words.first()?.as_str() {
            "pfifo" if value("limit") == Some("0") => Qdisc::Full,
            "pfifo" | "bfifo" | "pfifo_fast" | "noqueue" if value("limit").is_none() => Qdisc::None,
            "fq" if words.len() == 1 => Qdisc::Fq,
            "tbf" => Qdisc::Tbf(rate(value("rate")?)?, bytes(value("burst")?)?, bytes(value("limit")?)?),
            _ => return None,
        };
        Some(())
    }

    fn core_sysctl(&mut self, key: &str, value: &str) -> Option<()> {
        let n = number(value).and_then(|n| u32::try_from(n).ok()).filter(|n| i32::try_from(*n).is_ok())?;
        let (most, least) = match key {
            "net.core.wmem_max" => (&mut self.wmem_max, LEAST.0),
            "net.core.rmem_max" => (&mut self.rmem_max, LEAST.1),
            _ => return None,
        };
        *most = Some(n).filter(|n| *n >= least)?;
        Some(())
    }

    fn sysctl(&mut self, key: &str, value: &str) -> Result<(), String> {
        let p = &mut self.params;
        let no = || format!("the sysctl {key}={value}");
        let number = || number(value).ok_or_else(no);
        let up_to = |most: u32| number()?.try_into().ok().filter(|n: &u32| *n <= most).ok_or_else(no);
        let s = &mut self.sysctls;
        match key {
            "tcp_rmem" | "tcp_wmem" => {
                let v: Vec<u64> = value.split_whitespace().filter_map(self::number).collect();
                let &[_, default, most] = v.as_slice() else { return Err(no()) };
                if key == "tcp_rmem" {
                    (p.rmem_default, p.rmem_max) = (Auto::Set(Bytes::new(default)), Bytes::new(most));
                } else {
                    (p.wmem_default, p.wmem_max) = (Bytes::new(default), Bytes::new(most));
                }
            }
            "tcp_timestamps" => self.offer.timestamps = number()? != 0,
            "tcp_sack" => self.offer.sack = number()? != 0,
            "tcp_window_scaling" => self.offer.window_scaling = number()? != 0,
            "tcp_ecn" => {
                let n = number()?;
                if n > 2 {
                    return Err(no());
                }
                (p.ecn, self.offer.ecn) = (n == 1, n != 0);
            }
            "tcp_frto" => p.frto = number()? != 0,
            // src: linux@6.12 net/ipv4/sysctl_net_ipv4.c: extra1, extra2
            "tcp_reordering" if number()? > 0 => p.reordering = up_to(s.max_reordering)?,
            "tcp_slow_start_after_idle" => p.slow_start_after_idle = number()? != 0,
            "tcp_early_retrans" => p.tlp = number()? >= 3,
            "tcp_pacing_ss_ratio" => p.pacing_ss_ratio = number()? as u32,
            "tcp_pacing_ca_ratio" => p.pacing_ca_ratio = number()? as u32,
            "tcp_min_tso_segs" => p.min_tso_segs = number()? as u32,
            "tcp_tso_win_divisor" if number()? > 0 => p.tso_win_divisor = number()? as u32,
            "tcp_notsent_lowat" if value == "-1" => self.notsent_lowat = u32::MAX,
            "tcp_notsent_lowat" => self.notsent_lowat = number()? as u32,
            "tcp_limit_output_bytes" => p.limit_output_bytes = Auto::Set(Bytes::new(number()?)),
            "tcp_syn_retries" => self.syn_retries = number()? as u32,
            "tcp_retries1" => self.patience.doubts = number()? as u32,
            "tcp_retries2" => self.patience.retries = number()? as u32,
            "tcp_orphan_retries" => self.patience.orphan_retries = number()? as u32,
            "tcp_synack_retries" => self.patience.synack_retries = number()? as u32,
            "tcp_syn_linear_timeouts" => self.patience.syn_linear_timeouts = Some(number()? as u32),
            "tcp_fin_timeout" => self.patience.fin_timeout_s = number()? as u32,
            "tcp_ecn_fallback" => self.ecn_fallback = number()? != 0,
            "tcp_mtu_probing" if ["0", "1", "2"].contains(&value) => {
                (self.probing.on, self.probing.detects) = (value == "2", value != "0");
            }
            "tcp_base_mss" => self.probing.base_mss = number()? as u32,
            "tcp_probe_threshold" => self.probing.threshold = number()? as u32,
            "tcp_probe_interval" => self.probing.interval_s = number()? as u32,
            "tcp_fastopen" => self.fastopen.bits = number()? as u32,
            "tcp_fastopen_key" => self.fastopen.keys = Keys::from_sysctl(value).ok_or_else(no)?,
            "tcp_fastopen_blackhole_timeout_sec" => self.fastopen.blackhole_s = number()? as u32,
            "tcp_rto_min_us" => p.rto_min = Span::from_us(number()? as i64),
            "tcp_congestion_control" => p.cc = control(value).ok_or_else(no)?,
            "tcp_keepalive_time" => self.keepalive.idle_s = up_to(SECONDS)?,
            "tcp_keepalive_intvl" => self.keepalive.interval_s = up_to(SECONDS)?,
            "tcp_keepalive_probes" => self.keepalive.probes = up_to(255)?,
            "tcp_tso_rtt_log" => p.tso_rtt_log = Auto::Set(up_to(31)? as u8),
            "tcp_comp_sack_delay_ns" => s.comp_sack_delay = Span::from_ns(up_to(NANOSECONDS)?.into()),
            "tcp_comp_sack_slack_ns" => s.comp_sack_slack = Some(Span::from_ns(up_to(NANOSECONDS)?.into())),
            "tcp_comp_sack_nr" => s.comp_sack_nr = up_to(255)? as u8,
            "tcp_max_reordering" if number()? > 0 => s.max_reordering = up_to(i32::MAX as u32)?,
            "tcp_moderate_rcvbuf" => s.moderate_rcvbuf = up_to(255)? != 0,
            "tcp_app_win" => s.app_win = up_to(31)? as u8,
            "tcp_min_rtt_wlen" => s.min_rtt_wlen_s = up_to(86_400)?,
            "tcp_dsack" => s.dsack = up_to(255)? != 0,
            "tcp_retrans_collapse" => s.retrans_collapse = up_to(255)? != 0,
            "tcp_autocorking" => s.autocorking = up_to(1)? != 0,
            "tcp_pingpong_thresh" if number()? > 0 => s.pingpong_thresh = Some(up_to(255)? as u8),
            "tcp_invalid_ratelimit" => s.invalid_ratelimit_ms = up_to(SECONDS)?,
            _ if AT_BOOT.contains(&(key, value.trim())) => {}
            _ => return Err(no()),
        }
        Ok(())
    }
}

/// A congestion control by the kernel's name.
pub fn control(name: &str) -> Option<Cc> {
    Cc::ALL.iter().copied().find(|c| c.name() == name)
}

/// Splits at space, outside of quotes and `$(( ))`.
fn words(text: &str) -> Vec<String> {
    let (mut out, mut now, mut quote, mut depth) = (Vec::new(), String::new(), None, 0);
    for c in text.chars() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, ' ' | '\t') if depth == 0 => {
                if !now.is_empty() {
                    out.push(std::mem::take(&mut now));
                }
            }
            _ => {
                depth += i32::from(c == '(') - i32::from(c == ')');
                now.push(c);
            }
        }
    }
    if !now.is_empty() {
        out.push(now);
    }
    out
}

/// `via 192.168.0.2 dev tun0 advmss 600 mtu lock 640 initcwnd 11`; the route is the peer's.
fn route(words: &[String]) -> Option<Route> {
    let mut r = Route::default();
    let mut words = words.iter().map(String::as_str).filter(|w| *w != "lock");
    while let Some(key) = words.next() {
        let value = words.next()?;
        let number = || value.parse::<u32>().ok();
        match key {
            "via" | "dev" => {}
            "mtu" => r.mtu = Some(number().filter(|n| *n >= 88)?),
            "advmss" => r.advmss = Some(number().filter(|n| *n >= 48)?),
            "initcwnd" => r.init_cwnd = Some(number().filter(|n| (1..=1_000).contains(n))?),
            _ => return None,
        }
    }
    Some(r)
}

/// `5`, `0x10`, `$((15*1024*1024))`.
fn number(text: &str) -> Option<u64> {
    let t = text.trim();
    if let Some(product) = t.strip_prefix("$((").and_then(|t| t.strip_suffix("))")) {
        return product.split('*').map(number).try_fold(1u64, |a, b| a.checked_mul(b?));
    }
    match t.strip_prefix("0x") {
        Some(h) => u64::from_str_radix(h, 16).ok(),
        None => t.parse().ok(),
    }
}

/// `10mbit`
fn rate(text: &str) -> Option<Rate> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let n: u64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "bit" => 1,
        "kbit" => 1_000,
        "mbit" => 1_000_000,
        "gbit" => 1_000_000_000,
        _ => return None,
    };
    Some(Rate::from_bps(n.checked_mul(unit)?)).filter(|r| r.bps() > 0)
}

/// `1540`, `10kb`, `1mb`
fn bytes(text: &str) -> Option<u32> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let n: u32 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "" | "b" => 1,
        "k" | "kb" => 1_024,
        "m" | "mb" => 1_048_576,
        _ => return None,
    };
    n.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_file_and_what_follows_it() {
        let mut s = Setup::new();
        s.shell("../../common/defaults.sh\nsysctl -q net.ipv4.tcp_wmem=\"4096 $((2*1000)) 4194304\" net.ipv4.tcp_ecn=1\n# tc x\ntc qdisc replace dev tun0 root tbf rate 8mbit burst 1540 limit 1mb").unwrap();
        assert_eq!(s.params.wmem_default, Bytes::new(2_000));
        assert_eq!(s.params.rmem_max, Bytes::from_mib(15));
        assert!(s.params.ecn && s.params.cc == Cc::Cubic && !s.params.slow_start_after_idle);
        assert_eq!(s.qdisc, Qdisc::Tbf(Rate::from_mbit(8), 1_540, 1 << 20));
    }

    #[test]
    fn buffers_have_bounds_of_the_host() {
        let mut s = Setup::new();
        s.shell("sysctl -q net.core.wmem_max=4000000 net.core.rmem_max=2304").unwrap();
        assert_eq!((s.wmem_max, s.rmem_max), (4_000_000, 2_304));
        for wrong in ["net.core.rmem_max=2303", "net.core.wmem_max=-1", "net.core.wmem_max=x", "net.core.somaxconn=9"] {
            assert!(s.shell(&format!("sysctl -q {wrong}")).unwrap_err().contains(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_the_kernel_has_at_boot_may_be_asked_for() {
        for (key, value) in AT_BOOT {
            assert!(Setup::new().shell(&format!("sysctl -q net.ipv4.{key}={value}")).is_ok(), "{key}");
            assert!(Setup::new().shell(&format!("sysctl -q net.ipv4.{key}={value}7")).is_err(), "{key}");
        }
    }

    #[test]
    fn what_would_change_the_connection_is_not_ignored() {
        for (text, named) in [
            ("sysctl -q net.ipv4.tcp_recovery=0", "tcp_recovery=0"),
            ("sysctl -q net.ipv4.tcp_foo=1", "tcp_foo"),
            ("ip route add 1 initcwnd 3", "ip route"),
            ("ip route change 1 via 2 initrwnd 3", "initrwnd"),
            ("sysctl -q net.ipv4.tcp_mtu_probing=3", "tcp_mtu_probing=3"),
            ("tc qdisc add dev tun0 root netem delay 1ms", "netem"),
            ("sysctl -q net.ipv4.tcp_congestion_control=prague", "prague"),
        ] {
            assert!(Setup::new().shell(text).unwrap_err().contains(named), "{text}");
        }
    }
}
