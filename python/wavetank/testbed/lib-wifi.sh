# shellcheck shell=sh disable=SC2154 # names of lib.sh and bed.env
# Settings of a Wi-Fi card, and what a channel means for hostapd (sourced by lib.sh).
#
# Formats read: `iw phy PHY info` prints no RTS threshold where it is off (iw info.c); debugfs (Linux net/mac80211/debugfs.c
# aqm_read, aql_txq_limit_read, airtime_flags_read); /sys/module/wavetank_tsq/parameters/shift (man wavetank_tsq(8)).

# -- Wi-Fi -------------------------------------------------------------------------------------------------------------

phy_of() { # DEVICE
	cat "/sys/class/net/$1/phy80211/name" 2>/dev/null || {
		echo "$1 is no Wi-Fi device here"
		return 1
	}
}

# The kernel tells nobody which bit rates are set: down clears them, which is what nobody's setting is.
get_bitrates() { phy_of "$1" >/dev/null || { phy_of "$1"; return 1; }; echo none; }
set_bitrates() { # DEVICE WORDS; "none": all
	[ "$2" != none ] || set -- "$1" ''
	# shellcheck disable=SC2086 # words on purpose
	run iw dev "$1" set bitrates $2
}
bitrates() { # DEVICE WORDS...
	dev=$1
	shift
	case $verb in
	up)
		reason=$(tool iw iw) || die "$reason"
		setting bitrates "$dev" "$*"
		;;
	*)
		last=$(iw dev "$dev" link 2>/dev/null | sed -n 's/^[[:space:]]*tx bitrate: //p')
		untold "bitrates $dev $*" "the kernel does not say which are set; ${last:+last sent at $last}${last:-nothing was sent yet}"
		;;
	esac
}

get_rts() {
	tool iw iw || return 1
	phy=$(phy_of "$1") || { echo "$phy"; return 1; }
	iw phy "$phy" info | awk '/RTS threshold:/ { v = $3 } END { print v == "" ? "off" : v }'
}
set_rts() { run iw phy "$(phy_of "$1")" set rts "$2"; }
rts() { setting rts "$@"; }

get_txpower() { # whole mBm
	tool iw iw || return 1
	iw dev "$1" info 2>/dev/null | awk '/txpower/ { print int($2 * 100 + 0.5); found = 1 } END { exit !found }' || {
		echo "$1 says no power"
		return 1
	}
}
set_txpower() { run iw dev "$1" set txpower fixed "$2"; }
txpower() { [ -z "${TXPOWER_MBM:-}" ] || setting txpower "$1" "$TXPOWER_MBM"; }

width() { # DEVICE MHZ
	have=$(iw dev "$1" info 2>/dev/null | sed -n 's/.*width: \([0-9]*\) MHz.*/\1/p')
	if [ -n "$have" ]; then wants "width $1" "$have" "$2"; else untold "width $1" "$1 is on no channel"; fi
}

debug_of() { # DEVICE FILE
	phy=$(phy_of "$1") || { echo "$phy"; return 1; }
	[ -r "/sys/kernel/debug/ieee80211/$phy/$2" ] || {
		echo "/sys/kernel/debug/ieee80211/$phy/$2 cannot be read (root? debugfs? CONFIG_MAC80211_DEBUGFS?)"
		return 1
	}
	echo "/sys/kernel/debug/ieee80211/$phy/$2"
}

get_aqm() { # "DEVICE NAME"
	file=$(debug_of "${1% *}" aqm) || { echo "$file"; return 1; }
	awk -v k="${1#* }" '$2 == k { print $3 }' "$file"
}
set_aqm() { write "$(debug_of "${1% *}" aqm)" "${1#* } $2"; }
aqm() { setting aqm "$1 $2" "$3"; }

get_aql() { # low and high of VO, VI, BE, BK, us
	file=$(debug_of "$1" aql_txq_limit) || { echo "$file"; return 1; }
	words "$(awk 'NR > 1 { print $2, $3 }' "$file")"
}
set_aql() {
	file=$(debug_of "$1" aql_txq_limit) || die "$file"
	# shellcheck disable=SC2086 # eight numbers
	set -- $2
	for ac in 0 1 2 3; do
		write "$file" "$ac $1 $2"
		shift 2
	done
}
aql() { setting aql "$1" "$2 $3 $2 $3 $2 $3 $2 $3"; }

get_debug() { # "DEVICE FILE": one that holds a number
	file=$(debug_of "${1% *}" "${1#* }") || { echo "$file"; return 1; }
	cat "$file"
}
set_debug() { write "$(debug_of "${1% *}" "${1#* }")" "$2"; }
debug() { setting debug "$1 $2" "$3"; }

get_airtime() { # 1: what is sent is counted, 2: what is received, 3: both
	file=$(debug_of "$1" airtime_flags) || { echo "$file"; return 1; }
	awk '/AIRTIME_TX/ { n += 1 } /AIRTIME_RX/ { n += 2 } END { print n + 0 }' "$file"
}
set_airtime() { write "$(debug_of "$1" airtime_flags)" "$2"; }
airtime() { setting airtime "$@"; }

# A station's weight for airtime lasts as long as it is associated: one that comes back has the kernel's.
get_weight() { # "DEVICE STATION"
	iw dev "${1% *}" station get "${1#* }" 2>/dev/null | awk '/airtime weight:/ { v = $3 } END { print v; exit v == "" }' || {
		echo "${1#* } is not associated with ${1% *}, or its card has no weights"
		return 1
	}
}
set_weight() { # "DEVICE STATION" WEIGHT
	get_weight "$1" >/dev/null || return 0
	run iw dev "${1% *}" station set "${1#* }" airtime_weight "$2"
}
weight() { # DEVICE WEIGHT: of every station that is there
	dev=$1
	if ! reason=$(tool iw iw); then
		[ "$verb" != up ] || die "$reason"
		untold "weight $dev $2" "$reason"
		return
	fi
	stations=$(iw dev "$dev" station dump 2>/dev/null | awk '$1 == "Station" { print $2 }')
	[ -n "$stations" ] || untold "weight $dev $2" 'no station is associated; up again when they are'
	for station in $stations; do
		setting weight "$dev $station" "$2"
	done
}

# CoTSQ's lever, man wavetank_tsq(8): a line "PHY VALUE FORMER" for each card that is set.
get_tsq() {
	[ -r /sys/module/wavetank_tsq/parameters/shift ] || {
		echo 'wavetank_tsq is not loaded'
		return 1
	}
	phy=$(phy_of "$1") || { echo "$phy"; return 1; }
	awk -v p="$phy" '$1 == p { v = $2 } END { print v == "" ? "-" : v }' /sys/module/wavetank_tsq/parameters/shift
}
set_tsq() { write /sys/module/wavetank_tsq/parameters/shift "$1 $2"; }
tsq() {
	module wavetank_tsq
	setting tsq "$@"
}

# mac80211's rate control: what a driver that is loaded from now on gets; the card's own is only looked at.
get_rc() {
	grep . /sys/module/mac80211/parameters/ieee80211_default_rc_algo 2>/dev/null || {
		echo 'mac80211 is not loaded'
		return 1
	}
}
set_rc() { write /sys/module/mac80211/parameters/ieee80211_default_rc_algo "$2"; }
rate_control() { # DEVICE NAME
	setting rc default "$2"
	if file=$(debug_of "$1" rc/name); then
		wants "rate control of $1 (reload its driver to change it)" "$(cat "$file")" "$2"
	else
		untold "rate control of $1" "$file"
	fi
}

# -- the access point's configuration ----------------------------------------------------------------------------------

# 40 MHz: which side the second half is on. src: 802.11-2020 annex E; at 2.4 GHz up to channel 7 above, else below
ht40() { # CHANNEL
	if [ "$1" -le 7 ]; then
		echo +
	elif [ "$1" -le 14 ]; then
		echo -
	elif [ "$1" -ge 149 ]; then
		if [ $((($1 - 149) / 4 % 2)) = 0 ]; then echo +; else echo -; fi
	elif [ $((($1 - 36) / 4 % 2)) = 0 ]; then
		echo +
	else
		echo -
	fi
}

# The middle of 80 or 160 MHz, as a channel's number. src: 802.11-2020 annex E, operating classes 128 and 129
middle() { # CHANNEL MHZ
	span=$(($2 / 5))
	base=36
	[ "$1" -lt 149 ] || base=149
	[ "$2" = 80 ] || [ "$1" -lt 149 ] || die "CHANNEL=$1: 160 MHz begin at 36 or 100"
	[ "$1" -lt 100 ] || [ "$1" -ge 149 ] || base=100
	echo $((($1 - base) / span * span + base + span / 2 - 2))
}
