package socket

import "errors"

// markSocket: Windows ignores IP_TOS; marks are set by policy.
func markSocket(uintptr, bool, ClassMark) (string, error) {
	return "", errors.New("Windows marks packets by policy, not by program: New-NetQosPolicy with " +
		"-IPPortMatchCondition, or -Default, and -DSCPAction")
}

// CheckFiles refuses nothing: Windows has no limit of open sockets of a process.
func CheckFiles(int) error { return nil }
