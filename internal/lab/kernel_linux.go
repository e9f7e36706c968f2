package lab

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// namespaceError explains why the kernel refused to make namespaces.
func namespaceError(err error, rootless bool) error {
	if !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.EACCES) && !errors.Is(err, syscall.ENOSPC) &&
		!errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.EUSERS) {
		return fmt.Errorf("start the lab's init: %w", err)
	}
	if !rootless {
		return fmt.Errorf(
			"the kernel refused the lab's namespaces: %w; root of a container needs CAP_SYS_ADMIN there, or run linerate "+
				"outside of the container", err)
	}
	hints := namespaceSettings()
	if len(hints) == 0 {
		hints = []string{"a container or a seccomp filter may forbid it"}
	}
	return fmt.Errorf("the kernel refused a user namespace to this user: %w; %s; or run linerate as root", err,
		strings.Join(hints, "; "))
}

// namespaceSettings returns what to change in the settings that deny namespaces to ordinary users.
func namespaceSettings() (hints []string) {
	for _, s := range []struct{ file, bad, fix string }{
		{"kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1 allows it"},
		{"kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 " +
			"(AppArmor) allows it"},
		{"user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000 allows it"},
		{"user/max_net_namespaces", "0", "sysctl -w user.max_net_namespaces=10000 allows it"},
	} {
		b, err := os.ReadFile("/proc/sys/" + s.file)
		if err == nil && strings.TrimSpace(string(b)) == s.bad {
			hints = append(hints, fmt.Sprintf("%s is %s: %s", strings.ReplaceAll(s.file, "/", "."), s.bad, s.fix))
		}
	}
	return hints
}
