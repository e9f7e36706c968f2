package lab

import (
	"cmp"
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
			err = os.Mkdir(dir, 0o700)
			if errors.Is(err, os.ErrNotExist) { // the last other lab has just removed the folder of all
				if err = os.MkdirAll(folder, 0o700); err == nil {
					continue
				}
			}
			if !errors.Is(err, os.ErrExist) {
				break
			}
		}
		if err == nil {
			if err = connect.CheckLabFolder(folder); err == nil {
				return id, dir, nil
			}
		}
		refused = append(refused, err.Error())
	}
	return "", "", fmt.Errorf("no folder for the lab's state: %s", strings.Join(refused, "; "))
}

// removeFolder removes a lab's folder, and the folders of all labs when they are empty.
func removeFolder(dir string) error {
	err := os.RemoveAll(dir)
	if all := filepath.Dir(dir); err == nil && os.Remove(all) == nil {
		_ = os.Remove(filepath.Dir(all)) // it stays while it has something else
	}
	return err
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
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, connect.LabStateFile))
	}
	if err != nil {
		return fmt.Errorf("the lab's state file: %w", err)
	}
	return nil
}

// bootID distinguishes this boot from others, so that process ids of another boot are not mistaken for ours.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}

// processStart returns field 22 of /proc/PID/stat, the start in clock ticks since boot; 0 if there is no such process
// or it is a zombie.
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

// alive reports whether a process of a state file still runs.
func alive(p connect.LabProcess, boot string) bool {
	return p.PID > 0 && boot == bootID() && p.Start != 0 && processStart(p.PID) == p.Start
}

// Find returns a running lab by its id.
func Find(id string) (Info, error) {
	_, state, err := connect.FindLab(id)
	if err != nil {
		return Info{}, err
	}
	if !state.Ready {
		return Info{}, fmt.Errorf("lab %s is not up yet, or was left behind; see linerate lab list", state.ID)
	}
	var info Info
	if err := json.Unmarshal(state.Info, &info); err != nil {
		return Info{}, errors.Join(
			fmt.Errorf("lab %s: its state cannot be read; take it down: linerate lab down %s", state.ID, state.ID), err)
	}
	return info, nil
}

// Folder returns the state folder of a running lab. Its files are removed with the lab.
func Folder(id string) (string, error) {
	dir, _, err := connect.FindLab(id)
	return dir, err
}
