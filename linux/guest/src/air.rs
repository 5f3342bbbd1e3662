// SPDX-License-Identifier: GPL-2.0
//! The wireless network: radios into namespaces, an access point (hostapd), stations that join it (iw), addresses.
//!
//!   C1 .. Cn ~~wlan~~ AP --apw sw-- S        the AP routes (a bridge would let its mac80211 throttle S's sockets)
//!
//! Station i has 10.1.0.(10 + i), the AP 10.1.0.1 and 10.0.1.1, S 10.0.1.2. Radio 0 is the AP's.
//! rtt_ms: netem delay on S's sw, as in the wired cases.

use crate::case::Case;
use crate::{keys, neighbours, qdisc, radio, sys};
use std::net::Ipv4Addr;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

static HOSTAPD: Mutex<Option<Child>> = Mutex::new(None);

/// The access point's address on the air, and on the wire; the server's.
pub const AP: Ipv4Addr = Ipv4Addr::new(10, 1, 0, 1);
pub const AP_WIRE: Ipv4Addr = Ipv4Addr::new(10, 0, 1, 1);
pub const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 1, 2);

pub fn station_ns(i: usize) -> String {
    format!("C{}", i + 1)
}

pub fn station_addr(i: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 1, 0, 10 + i as u8)
}

pub fn build(case: &Case, stations: usize) -> Result<(), String> {
    let rc = case.text("module_rc", "");
    if !rc.is_empty() {
        sys::insmod(&rc, &case.text("rc_params", ""))?;
    }
    sys::insmod(&case.text("module_radio", ""), &format!("radios={} {}", stations + 1, case.text("radio", "")))?;
    check_rate_control(case)?;
    let mut text = String::from("netns add AP\nnetns add S\nlink add apw netns AP type veth peer name sw netns S\n");
    for i in 0..stations {
        text += &format!("netns add {}\n", station_ns(i));
    }
    sys::feed("ip", &["-batch"], &text)?;
    for (i, phy) in phys()?.iter().enumerate() {
        let ns = if i == 0 { "AP".into() } else { station_ns(i - 1) };
        sys::run("iw", &["phy", phy, "set", "netns", "name", &ns])?;
    }
    let segs = match case.get("gso_max_segs", 1)? {
        0 => String::new(),
        n => format!("link set DEV gso_max_segs {n}\n"),
    };
    let with = |dev: &str| segs.replace("DEV", dev);
    sys::feed(
        "ip",
        &["-n", "S", "-batch"],
        &format!(
            "addr add {SERVER}/24 dev sw\n{}link set sw up\nlink set lo up\nroute add default via {AP_WIRE}\n",
            with("sw")
        ),
    )?;
    sys::feed(
        "ip",
        &["-n", "AP", "-batch"],
        &format!(
            "addr add {AP_WIRE}/24 dev apw\naddr add {AP}/24 dev wlan0\n{}{}link set apw up\nlink set lo up\n",
            with("apw"),
            with("wlan0")
        ),
    )?;
    sys::within("AP", || sys::offloads_off("apw"))?;
    sys::within("S", || sys::offloads_off("sw"))?;
    sys::within("AP", || sys::sysctl("net/ipv4/ip_forward", "1"))?;
    qdisc::delay(case, "sw")?;
    access_point(case)?;
    let frequency = if ghz2(case)? { "2412" } else { "5180" };
    for i in 0..stations {
        let (ns, dev) = (station_ns(i), format!("wlan{}", i + 1));
        sys::feed(
            "ip",
            &["-n", &ns, "-batch"],
            &format!(
                "addr add {}/24 dev {dev}\n{}link set {dev} up\nlink set lo up\nroute add default via {AP}\n",
                station_addr(i),
                with(&dev)
            ),
        )?;
        // one after another: stations that scan in the same tick lose their probe requests to each other
        sys::within(&ns, || join(&dev, frequency))?;
        if ccmp(case)? {
            keys::pair(i + 1, &ns, &dev)?;
        }
    }
    neighbours::learn(stations)
}

/// A station joins the network. A scan's one probe request may be lost (on 5.4 at 2.4 GHz it is): then again.
fn join(dev: &str, frequency: &str) -> Result<(), String> {
    let mut joined = Ok(());
    for _ in 0..3 {
        sys::run("iw", &["dev", dev, "connect", "wavetank", frequency])?;
        joined = sys::wait_carrier(dev, 10);
        if joined.is_ok() {
            break;
        }
    }
    joined
}

/// mac80211 takes its default for a name that it does not know, and says nothing (net/mac80211/rate.c ieee80211_rate_control_ops_get).
/// That default tells its name in debugfs; one that tells none (it has no `add_debugfs`) is the one that was asked for.
fn check_rate_control(case: &Case) -> Result<(), String> {
    let names = case.text("rc", "");
    for (i, phy) in phys()?.iter().enumerate().filter(|_| !names.is_empty()) {
        let wanted = names.split(',').nth(i).or(names.rsplit(',').next()).unwrap_or_default();
        let file = format!("/sys/kernel/debug/ieee80211/{phy}/rc/name");
        let is = match std::fs::read_to_string(&file) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            other => other.map_err(|e| format!("{file}: {e}"))?,
        };
        if is.trim() != wanted && wanted != "fixed" {
            return Err(format!("the kernel has no rate control {wanted}; mac80211 took {} for card {i}", is.trim()));
        }
    }
    Ok(())
}

/// Gives all stations that cards know a weight for airtime, or the one whose radio has this number.
pub fn weigh(which: &str, weight: &str, station: Option<&str>) -> Result<(), String> {
    let radio = |n: &str| n.parse::<u8>().map_err(|e| format!("airtime_weight of station {n}: {e}"));
    let only = station.map(radio).transpose()?.map(|n| format!(":{n:02x}"));
    for (i, phy) in radio::cards(which)? {
        let (ns, dev) = (if i == 0 { "AP".into() } else { station_ns(i - 1) }, format!("wlan{i}"));
        for station in radio::stations(&phy) {
            let name = station.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if only.as_ref().is_some_and(|end| !name.ends_with(end.as_str())) {
                continue;
            }
            let words = ["dev", &dev, "station", "set", &name, "airtime_weight", weight];
            sys::within(&ns, || sys::run("iw", &words))?;
        }
    }
    Ok(())
}

/// The wiphys' names in the order of the radios.
fn phys() -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir("/sys/class/ieee80211").map_err(|e| e.to_string())?;
    let mut names: Vec<String> = entries.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.sort_by_key(|n| radio::place(n));
    Ok(names)
}

/// Whether links are encrypted.
fn ccmp(case: &Case) -> Result<bool, String> {
    case.get("ccmp", false)
}

/// Whether the network is at 2.4 GHz, on channel 1, not at 5, on channel 36.
fn ghz2(case: &Case) -> Result<bool, String> {
    case.get("ghz2", false)
}

fn access_point(case: &Case) -> Result<(), String> {
    let capab = case.text("ht_capab", "[HT40+][SHORT-GI-20][SHORT-GI-40]");
    let mut ht = if case.get("ht", true)? { format!("ieee80211n=1\nht_capab={capab}\n") } else { String::new() };
    ht += &beyond_ht(case)?;
    let wmm = u8::from(case.get("wmm", true)?);
    let rsn = if ccmp(case)? { format!("vendor_elements={}\n", keys::RSN_ELEMENT) } else { String::new() };
    // basic rates at 2.4 GHz are hostapd's own: 1, 2, 5.5 and 11 Mbit/s
    let channel =
        if ghz2(case)? { "hw_mode=g\nchannel=1\n" } else { "hw_mode=a\nchannel=36\nbasic_rates=60 120 240\n" };
    let more: String = case.lines("hostapd").map(|words| format!("{}\n", words.join(" "))).collect();
    let conf = format!(
        "interface=wlan0\ndriver=nl80211\nssid=wavetank\n{channel}wmm_enabled={wmm}\n\
         beacon_int=100\n{ht}{rsn}{more}"
    );
    std::fs::write("/run/hostapd.conf", conf).map_err(|e| e.to_string())?;
    sys::within("AP", || {
        let log = std::fs::File::create("/tmp/wt/hostapd.log").map_err(|e| e.to_string())?;
        let child = Command::new("hostapd")
            .arg("/run/hostapd.conf")
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("hostapd: {e}"))?;
        *HOSTAPD.lock().expect("lock") = Some(child);
        Ok(())
    })?;
    sys::within("AP", || sys::wait_carrier("wlan0", 10)).map_err(|e| {
        format!("{e}; hostapd said:\n{}", std::fs::read_to_string("/tmp/wt/hostapd.log").unwrap_or_default())
    })
}

/// What hostapd is told of 802.11ac and ax: its channel's width, and what it lets stations know of the card.
fn beyond_ht(case: &Case) -> Result<String, String> {
    let (width, middle) = match case.get("mhz", 40)? {
        80 => (1, 42),
        160 => (2, 50),
        _ => (0, 0), // as 802.11n has it
    };
    let oper = |of: &str| format!("{of}_oper_chwidth={width}\n{of}_oper_centr_freq_seg0_idx={middle}\n");
    let mut text = String::new();
    if case.get("vht", false)? {
        let wide = if width == 2 { "[VHT160][SHORT-GI-160]" } else { "" };
        text += &format!(
            "ieee80211ac=1\nvht_capab=[MAX-MPDU-11454][SHORT-GI-80][MAX-A-MPDU-LEN-EXP7]{wide}\n{}",
            oper("vht")
        );
    }
    if case.get("he", false)? {
        text += &format!("ieee80211ax=1\n{}", oper("he"));
    }
    Ok(text)
}

/// Ends hostapd and removes the namespaces.
pub fn tear_down(stations: usize) -> Result<(), String> {
    if let Some(mut child) = HOSTAPD.lock().expect("lock").take() {
        let _ = child.kill();
        let _ = child.wait();
    }
    let mut text = String::from("netns del AP\nnetns del S\n");
    for i in 0..stations {
        text += &format!("netns del {}\n", station_ns(i));
    }
    sys::feed("ip", &["-batch"], &text)
}
