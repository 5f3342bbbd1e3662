//! What packetdrill's language has, carried out here or not: what stands in neither list is a slip, not something to be skipped.
//!
//! src: google/packetdrill gtests/net/packetdrill/run_system_call.c, config.c, lexer.l, parser.y

use wavetank_core::sim::params::nearest;

/// Its calls.
const CALLS: [&str; 32] = [
    "socket",
    "bind",
    "listen",
    "accept",
    "connect",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "write",
    "writev",
    "send",
    "sendto",
    "sendmsg",
    "fcntl",
    "ioctl",
    "close",
    "shutdown",
    "getsockopt",
    "setsockopt",
    "poll",
    "cap_set",
    "open",
    "sendfile",
    "epoll_create",
    "epoll_ctl",
    "epoll_wait",
    "pipe",
    "splice",
    "psp_rx_assoc",
    "psp_tx_assoc",
];

/// Its options.
const OPTIONS: [&str; 36] = [
    "ip_version",
    "bind_port",
    "code_command",
    "code_format",
    "code_sockopt",
    "connect_port",
    "remote_ip",
    "local_ip",
    "gateway_ip",
    "netmask_ip",
    "speed",
    "mss",
    "mtu",
    "init_scripts",
    "tolerance_usecs",
    "tolerance_percent",
    "wire_client",
    "wire_server",
    "wire_server_ip",
    "wire_server_at",
    "wire_server_port",
    "wire_client_dev",
    "wire_server_dev",
    "so_filename",
    "so_flags",
    "tcp_ts_ecr_scaled",
    "tcp_ts_tick_usecs",
    "strict_segments",
    "non_fatal",
    "dry_run",
    "is_anyip",
    "send_omit_free",
    "psp_udp_port",
    "debug",
    "define",
    "verbose",
];

/// TCP options that are not understood here: MD5, AccECN.
const TCP_OPTIONS: [&str; 2] = ["md5", "ECN"];

/// What packets and calls have that is not understood here: other protocols, tunnels, addresses, an IP header's fields.
const WORDS: [&str; 19] = [
    "GREv0",
    "encap",
    "psp",
    "icmp",
    "udp",
    "gre",
    "mpls",
    "ipv4",
    "ipv6",
    "urg",
    "flowlabel",
    "tos",
    "ttl",
    "inet_addr",
    "inet6_addr",
    "htons",
    "label",
    "flags",
    "raw",
];

/// Behind a name that is none: which one may be meant.
pub fn meant(prefix: &str, name: &str, names: &[&str]) -> String {
    nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("; did you mean \"{prefix}{n}\"?"))
}

/// Whether a call is one. The error says what is wrong.
pub fn call(name: &str) -> Result<(), String> {
    if CALLS.contains(&name) {
        return Ok(());
    }
    let near = meant("", name, &CALLS);
    Err(format!("unknown call \"{name}\", expected one of {}{near}", CALLS.join(", ")))
}

/// Whether an option of the command line (`--mss=1000`) is one. The error says what is wrong.
pub fn option(text: &str) -> Result<(), String> {
    let name = text.trim_start_matches("--").split('=').next().unwrap_or_default();
    if OPTIONS.contains(&name) {
        return Ok(());
    }
    let near = meant("--", name, &OPTIONS);
    Err(format!("unknown option \"--{name}\", expected one of packetdrill's, such as --tolerance_usecs=10000{near}"))
}

/// Whether this is a TCP option that is known to be one, and no more.
pub fn tcp_option(name: &str) -> bool {
    TCP_OPTIONS.contains(&name)
}

/// Whether it has a name that whoever runs the script gives a value (`-D MSS=1000`), in place of a number.
pub fn defined(text: &str) -> bool {
    let name = |w: &str| w.len() > 1 && w.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit());
    text.split_whitespace().skip(1).any(|w| name(w) && w.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether a statement has something of the language that is not understood here, so that nobody can say whether it is right.
pub fn beyond(text: &str) -> bool {
    let words = text.split_whitespace().collect::<Vec<_>>();
    let number = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit());
    // AccECN's counter behind the flags: P.5
    let ace = |w: &str| {
        let flags = w.trim_end_matches(|c: char| c.is_ascii_digit());
        flags.len() < w.len()
            && flags.ends_with(|c| "FSRP.UEWA".contains(c))
            && flags.chars().all(|c| "FSRP.UEWA".contains(c))
    };
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|w| WORDS.contains(&w))
        || words.iter().any(|w| ace(w))
        || words.windows(3).any(|w| number(w[0]) && w[1] == ">" && number(w[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_what_is_not_understood() {
        assert!(call("splice").is_ok() && option("--mss=1000").is_ok() && option("--psp_udp_port=1000").is_ok());
        assert!(call("wirte").unwrap_err().ends_with("did you mean \"write\"?"));
        assert!(option("--tolerence_usecs=9").unwrap_err().ends_with("did you mean \"--tolerance_usecs\"?"));
        assert!(
            beyond("< 5 > 80 . 1:1(0) ack 1") && beyond("> [flowlabel 0x1] . 1:1(0)") && !beyond("< S 0:0(0) wni 9")
        );
    }
}
