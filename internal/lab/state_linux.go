package lab

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"linerate/internal/host/connect"
)

// makeFolder makes the folder of a new lab, 0700, in the first folder of labs that this user can have for itself.
func makeFolder() (id, dir string, err error) {
	var refused []string
	for _, folder := range connect.LabFolders() {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			refused = append(refused, err.Error())
			continue
		}
		if err := connect.CheckLabFolder(folder); err != nil {
			refused = append(refused, err.Error())
			continue
		}
		for range 16 {
			id = randomHex(2)
			dir = filepath.Join(folder, id)
			if err = os.Mkdir(dir, 0o700); !errors.Is(err, os.ErrExist) {
				break
			}
		}
		if err == nil {
			return id, dir, nil
		}
		refused = append(refused, err.Error())
	}
	return "", "", fmt.Errorf("no folder for the lab's state: %s", strings.Join(refused, "; "))
}

func randomHex(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}

// writeState replaces the state file of the lab in dir.
func writeState(dir string, s connect.LabState) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".state-*")
	if err != nil {
		return fmt.Errorf("the lab's state file: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, connect.LabStateFile))
	}
	if err != nil {
		return fmt.Errorf("the lab's state file: %w", err)
	}
	return nil
}

// bootID tells this boot from others, so that a process id of another boot is not taken for ours.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// processStart returns field 22 of /proc/PID/stat, the start in clock ticks since boot; 0 if there is no such process or
// it is a zombie.
func processStart(pid int) uint64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The second field is the name in parentheses, which may hold anything.
	_, rest, ok := strings.Cut(string(b[max(0, strings.LastIndexByte(string(b), ')')):]), " ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return 0
	}
	start, _ := strconv.ParseUint(fields[19], 10, 64)
	return start
}

// thisProcess names this process.
func thisProcess() connect.LabProcess {
	return connect.LabProcess{PID: os.Getpid(), Start: processStart(os.Getpid())}
}

// alive says whether a process of a state file still runs.
func alive(p connect.LabProcess, boot string) bool {
	return p.PID > 0 && boot == bootID() && p.Start != 0 && processStart(p.PID) == p.Start
}
