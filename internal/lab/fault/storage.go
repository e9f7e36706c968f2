package fault

import (
	"fmt"
	"path"
	"strings"
)

// slowDrive limits the drive of the sent file to a part of the link's rate, and empties the page cache of it.
var slowDrive = Fault{ID: "slow-drive", Title: "a drive that delivers less than the link carries", Cause: "media-limit",
	Scenario: File, Needs: []string{NeedsDrive}, Parameters: []Parameter{shareOf(0.2, 0.7)},
	Make: func(p *Place, v Values) {
		host, file := p.Sender.Host, word(p.Source)
		// The device below is slowed down: the one above then always has requests in flight, like a slow drive.
		lower := p.ask(host, fmt.Sprintf(
			`d=$(sed -n 's|^/dev/\([^ ]*\) '%s' .*|\1|p' /proc/mounts); cat /sys/block/$(basename $(cat /sys/block/$d/loop/backing_file))/dev`,
			word(path.Dir(p.Source))))
		p.run(host, "dd if="+file+" iflag=nocache count=0 status=none", "cat "+file+" >/dev/null")
		p.group(host, "blkio",
			fmt.Sprintf("echo '%s %.0f' >$g/blkio.throttle.read_bps_device", lower, v["share"]*float64(p.Rate)/8))
	}}

// driveSize is more than a drive below the link's rate delivers during an experiment, because data that was read once
// is in the page cache.
const driveSize = 64 << 20

// Drive gives the sender the file that the experiment sends, in the page cache and on a drive of its own: a loop device
// on another one, so that there is a drive below it that can be slow. Both are detached, and their file is removed,
// immediately: the kernel keeps them for the mount, which only the host has. So nothing is left of them when the host
// ends for any reason. Readahead is that of most drives: the default of a loop device is megabytes, which take long on
// a slow one.
func (p *Place) Drive() {
	folder, file := word(path.Dir(p.Source)), word(p.Source)
	p.run(p.Sender.Host, fmt.Sprintf(`set -e
test -d %[1]s
f=$(mktemp "${TMPDIR:-/var/tmp}/linerate-drive.XXXXXX")
trap 'rm -f "$f"' EXIT
truncate -s %[3]d "$f"
low=$(losetup --find --show "$f")
top=$(losetup --find --show --direct-io=on $low) || { losetup -d $low; exit 1; }
{ mkfs.ext4 -q -m 0 -O ^has_journal -E nodiscard,lazy_itable_init=1 $top && mount -o noatime $top %[1]s; } || { losetup -d $top; losetup -d $low; exit 1; }
losetup -d $top
losetup -d $low
echo 128 >/sys/block/${top##*/}/queue/read_ahead_kb
dd if=/dev/zero of=%[2]s bs=1M count=%[4]d status=none
sync -f %[2]s`, folder, file, driveSize*5/4, driveSize>>20), "umount "+folder)
}

// word quotes a text as one word for a shell.
func word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
