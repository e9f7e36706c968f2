package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// killMarked ends every process of this user that has the entry in its environment: mpirun gives the processes that it starts groups of their own, so
// that the end of its group is not theirs. What is being started while this looks is found at the next look.
func killMarked(entry string) {
	for range 20 {
		if !killOnce([]byte(entry)) {
			return
		}
	}
}

func killOnce(entry []byte) (found bool) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), append(append([]byte{0}, entry...), 0)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && pid != os.Getpid() && syscall.Kill(pid, syscall.SIGKILL) == nil {
			found = true
		}
	}
	return found
}
