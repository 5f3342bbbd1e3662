# shellcheck shell=sh disable=SC2154 # names of lib.sh and bed.env
# Settings of a host (sourced by lib.sh): sysctls, links, offloads, modules and congestion controls.
#
# Formats read: /proc/sys; `ip -d -o link` (iproute2); `ethtool -k`; /sys/module.

# -- sysctls -----------------------------------------------------------------------------------------------------------

get_sysctl() {
	file=/proc/sys/$(echo "$1" | tr . /)
	[ -r "$file" ] || {
		echo 'this kernel has none of that name'
		return 1
	}
	words "$(cat "$file")"
}
set_sysctl() { write "/proc/sys/$(echo "$1" | tr . /)" "$2"; }
sysctl() { setting sysctl "$@"; }

# -- links: gso_max_segs, gso_max_size, qlen ---------------------------------------------------------------------------

get_link() { # "DEVICE WHAT"
	tool ip iproute2 || return 1
	line=$(ip -d -o link show dev "${1% *}" 2>/dev/null) || {
		echo "no such device"
		return 1
	}
	words "$line" | awk -v k="${1#* }" '{ gsub(/\\/, " "); for (i = 1; i < NF; i++) if ($i == k) { print $(i + 1); exit } }'
}
set_link() {
	case ${1#* } in
	qlen) run ip link set dev "${1% *}" txqueuelen "$2" ;;
	*) run ip link set dev "${1% *}" "${1#* }" "$2" ;;
	esac
}
link() { setting link "$1 $2" "$3"; }

# -- offloads ----------------------------------------------------------------------------------------------------------

get_offload() { # "DEVICE tso|gso|gro"
	tool ethtool ethtool || return 1
	case ${1#* } in
	tso) long=tcp-segmentation-offload ;;
	gso) long=generic-segmentation-offload ;;
	*) long=generic-receive-offload ;;
	esac
	features=$(ethtool -k "${1% *}" 2>/dev/null) || {
		echo "ethtool cannot ask ${1% *}"
		return 1
	}
	printf '%s\n' "$features" | awk -v k="$long:" '$1 == k { print $2; exit }'
}
set_offload() { run ethtool -K "${1% *}" "${1#* }" "$2"; }
offload() { setting offload "$1 $2" "$3"; }

# -- modules -----------------------------------------------------------------------------------------------------------

get_module() { if [ -d "/sys/module/$1" ]; then echo loaded; else echo absent; fi; }
set_module() { # NAME loaded|absent
	if [ "$2" = absent ]; then
		run rmmod "$1"
		return
	fi
	modprobe "$1" 2>/dev/null && return
	for file in "$MODULES/$1.ko" "$MODULES/$1/$1.ko" "$MODULES/wavetank_bbr/$1.ko"; do
		if [ -f "$file" ]; then
			run insmod "$file"
			return
		fi
	done
	die "failed: modprobe $1, and $MODULES has no $1.ko (README.md says how it is built)"
}
module() { setting module "$1" loaded; }

get_param() { # "MODULE NAME"
	sed 's/^Y$/1/; s/^N$/0/' "/sys/module/${1% *}/parameters/${1#* }" 2>/dev/null | grep . || {
		echo "${1% *} is not loaded, or has no ${1#* }"
		return 1
	}
}
set_param() { write "/sys/module/${1% *}/parameters/${1#* }" "$2"; }
param() { setting param "$1 $2" "$3"; }

# A congestion control of the kernel's that is not the default; once loaded it does nothing by itself, so that `down` leaves it.
get_stock() {
	case " $(cat /proc/sys/net/ipv4/tcp_available_congestion_control) " in *" $1 "*) echo available ;; *) echo absent ;; esac
}
set_stock() { [ "$2" = absent ] || run modprobe "tcp_$1"; }
stock() { setting stock "$1" available; }

# A congestion control of ours: as a BPF program where bed.env says so, else as a module.
control() { # NAME MODULE [PARAMETER=VALUE...]
	name=$1
	mod=$2
	shift 2
	case $verb:$CONTROL_BY in
	up:bpf)
		case " $(cat /proc/sys/net/ipv4/tcp_available_congestion_control) " in *" $name "*) return 0 ;; esac
		remember bpf "$name" absent
		for pair; do set -- "$@" --set "$pair" && shift; done
		run wavetank bpf load "$name" "$@"
		;;
	*:bpf)
		case " $(cat /proc/sys/net/ipv4/tcp_available_congestion_control) " in
		*" $name "*) wants "control $name" loaded loaded ;;
		*) wants "control $name" absent loaded ;;
		esac
		[ $# = 0 ] || untold "control $name $*" "a BPF program does not say what it was compiled with"
		;;
	*)
		module "$mod"
		for pair; do param "$mod" "${pair%%=*}" "${pair#*=}"; done
		;;
	esac
}
set_bpf() { run wavetank bpf unload "$1"; }
