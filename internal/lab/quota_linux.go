package lab

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// quotaWait bounds the time that the processes of an ended lab take to leave their group.
const quotaWait = time.Second

// sweepQuotas removes groups without processes of any lab. The kernel refuses to remove one with processes, and while a
// lab runs, its host is in it. It waits for those of the lab id, which has ended.
func sweepQuotas(id string) {
	for end := time.Now().Add(quotaWait); ; time.Sleep(10 * time.Millisecond) {
		var left []string
		for _, groups := range []string{QuotaGroups, DriveGroups} {
			found, _ := filepath.Glob(filepath.Join(groups, QuotaPrefix+"*"))
			left = append(left, found...)
		}
		busy := false
		for _, dir := range left {
			err := unix.Rmdir(dir)
			mine, _ := filepath.Match(QuotaPrefix+id+"-*", filepath.Base(dir))
			busy = busy || mine && id != "" && errors.Is(err, unix.EBUSY)
		}
		if !busy || time.Now().After(end) {
			return
		}
	}
}

// MayQuota reports whether this user may make control groups with a quota of the CPU (version 1 of control groups).
func MayQuota() bool { return opens(filepath.Join(QuotaGroups, "tasks"), os.O_WRONLY) }

// MayDrive reports whether this user may make drives (loop devices), and control groups that limit reads from them
// (version 1).
func MayDrive() bool {
	return opens("/dev/loop-control", os.O_RDWR) &&
		opens(filepath.Join(DriveGroups, "blkio.throttle.read_bps_device"), os.O_WRONLY)
}

func opens(path string, how int) bool {
	f, err := os.OpenFile(path, how, 0)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
