package connect

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// checkCommand refuses what no system can start.
func checkCommand(c Command) error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("the command is empty")
	}
	for _, a := range c.Argv {
		if strings.ContainsRune(a, 0) {
			return fmt.Errorf("the argument %q has a NUL byte, which no program can be given", a)
		}
	}
	for _, e := range c.Env {
		name, _, ok := strings.Cut(e, "=")
		if !ok || !isEnvName(name) || strings.ContainsRune(e, 0) {
			return fmt.Errorf("the environment entry %q is not NAME=VALUE", e)
		}
	}
	return nil
}

func isEnvName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// adminFolders have ip, ethtool and tc. They are often not in an ordinary user's PATH.
func adminFolders() []string { return []string{"/usr/local/sbin", "/usr/sbin", "/sbin"} }

// lookPath finds a program in PATH, then in adminFolders.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || runtime.GOOS == "windows" || strings.ContainsRune(name, '/') {
		return path, err
	}
	for _, dir := range adminFolders() {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", err
}
