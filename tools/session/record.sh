#!/bin/sh
# Records docs/quick.svg: "linerate quick nas" between two hosts, desk and nas, that are namespaces of this machine.
# A third namespace is the switch between them; its ports carry 2.5 Gb/s. Somebody left a shaper of 1 Gb/s on nas.
#
#   sudo tools/session/record.sh      needs Go, iproute2, sshd, script and termtosvg (pip install termtosvg)
#
# Nothing of it is left behind: the namespaces, the sshd, its keys and the run folder go when the script ends.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
work=$(mktemp -d)
id=$$
finish() {
	[ ! -f "$work/pid" ] || kill "$(cat "$work/pid")" || true
	for n in desk nas switch; do ip netns del "$n-$id" 2>/dev/null || true; done
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

CGO_ENABLED=0 go build -o "$work/linerate" ./cmd/linerate
for n in desk nas switch; do
	ip netns add "$n-$id"
	ip -n "$n-$id" link set lo up
done
ip -n "switch-$id" link add br0 type bridge
ip -n "switch-$id" link set br0 up
address=1
for n in desk nas; do
	ip -n "$n-$id" link add xg0 type veth peer name "$n" netns "switch-$id"
	ip -n "$n-$id" addr add "10.20.0.$address/24" dev xg0
	ip -n "$n-$id" link set xg0 up
	ip -n "switch-$id" link set "$n" master br0 up
	# 2.5 Gb/s on the wire: tbf does not count the 24 bytes around each frame of 1514
	tc -n "switch-$id" qdisc add dev "$n" root tbf rate 2460mbit burst 256k latency 5ms
	address=$((address + 1))
done
tc -n "nas-$id" qdisc add dev xg0 root tbf rate 1gbit burst 128k latency 5ms

mkdir -p /run/sshd "$work/home"
ssh-keygen -q -t ed25519 -N '' -f "$work/host"
ssh-keygen -q -t ed25519 -N '' -f "$work/user"
cat >"$work/sshd" <<CONFIG
ListenAddress 10.20.0.2
HostKey $work/host
AuthorizedKeysFile $work/user.pub
PidFile $work/pid
StrictModes no
UsePAM no
CONFIG
echo "10.20.0.2 $(cut -d' ' -f1,2 "$work/host.pub")" >"$work/known"
cat >"$work/ssh" <<CONFIG
Host nas
  HostName 10.20.0.2
  IdentityFile $work/user
  UserKnownHostsFile $work/known
CONFIG
# a /root/.ssh of the session's own lies over the user's, in the session's mount namespace alone
ip netns exec "nas-$id" unshare --uts sh -c "hostname nas && exec /usr/sbin/sshd -f '$work/sshd'"
cat >"$work/enter" <<ENTER
hostname desk
mount -t tmpfs none "\$HOME/.ssh"
install -m 600 "$work/ssh" "\$HOME/.ssh/config"
cd "$work/home"
exec sh "$work/typed"
ENTER
cat >"$work/typed" <<TYPED
PATH=$work:\$PATH
printf '\033[1mdesk\$\033[0m '
sleep 0.5
printf 'linerate quick nas --link 2.5G\n'
linerate quick nas --link 2.5G
TYPED
mkdir -p "$HOME/.ssh"
columns=80
rows=${ROWS:-46}
script -qec "stty cols $columns rows $rows; termtosvg record -g ${columns}x$rows -c \
	'ip netns exec desk-$id unshare --uts --mount sh $work/enter' '$work/session.cast'" /dev/null </dev/null >/dev/null
termtosvg render "$work/session.cast" "$work/session.svg" -M 300 -t "$root/tools/session/template.svg" >/dev/null
# who wants less motion sees the end of the session
last=$(grep -o 'translateY(-[0-9]*px)' "$work/session.svg" | tail -n 1)
sed "s/LAST_FRAME/$last/" "$work/session.svg" >docs/quick.svg
