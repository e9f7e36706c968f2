package copies

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/failure"
)

// smbclientAt is smbclient in a folder of the share. Without a terminal it does not ask for a password: it uses the one
// that it gets, or a ticket of Kerberos.
func smbclientAt(a task) ([]string, error) {
	argv := []string{"smbclient", a.Share.At}
	if a.Share.Port > 0 {
		argv = append(argv, "-p", strconv.Itoa(a.Share.Port))
	}
	if a.Share.User != "" && a.Share.Password != "" {
		text := fmt.Sprintf("username=%s\npassword=%s\n", a.Share.User, a.Share.Password)
		if a.Share.Domain != "" {
			text += "domain=" + a.Share.Domain + "\n"
		}
		auth, err := private(a.private, fmt.Sprintf("auth-%d", a.number), text)
		if err != nil {
			return nil, err
		}
		argv = append(argv, "-A", auth)
	} else if a.Share.User != "" {
		user := a.Share.User
		if a.Share.Domain != "" {
			user = a.Share.Domain + `\` + user
		}
		argv = append(argv, "-U", user)
	}
	if strings.ContainsAny(a.Here+a.There+a.Name+a.Share.Prefix, "\";\n") {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: a.Here,
			Text: `smbclient's commands cannot name a path with ", ; or a line's end`}
	}
	if in := a.Share.in(a.There); in != "" {
		argv = append(argv, "-D", in)
	}
	return argv, nil
}

// smbclientLook changes to the folder and ends.
func smbclientLook(a task) ([]string, error) {
	argv, err := smbclientAt(a)
	return append(argv, "-c", "pwd"), err
}

func smbclientArgv(a task) ([]string, error) {
	argv, err := smbclientAt(a)
	if err != nil {
		return nil, err
	}
	commands := []string{fmt.Sprintf(`lcd "%s"`, a.Here), "prompt OFF"}
	do := "put"
	if a.Pull {
		do = "get"
	}
	if a.named() {
		for _, n := range a.names() {
			commands = append(commands, fmt.Sprintf(`%s "%s"`, do, n))
		}
	} else {
		commands = append(commands, "m"+do+" file-*")
	}
	return append(argv, "-c", strings.Join(commands, "; ")), nil
}

// smbclientWrong reads the status, too: the exit code does not show every command that has failed.
func smbclientWrong(exit int, text string) (why, code string) {
	status := regexp.MustCompile(`NT_STATUS_[A-Z_]+`).FindString(text)
	in := " (" + status + ")"
	switch strings.TrimPrefix(status, "NT_STATUS_") {
	case "LOGON_FAILURE":
		return "the server refuses the user or the password" + in + ", which was tried once", failure.CodeRefused
	case "ACCESS_DENIED":
		if strings.Contains(text, "session setup failed") {
			return "the server refuses the user or the password" + in + ", which was tried once", failure.CodeRefused
		}
		return "the server does not allow this user to do that" + in, failure.CodeInput
	case "BAD_NETWORK_NAME":
		return "the server has no share of that name" + in, failure.CodeInput
	case "OBJECT_NAME_NOT_FOUND", "OBJECT_PATH_NOT_FOUND":
		return "what is copied is not in the share" + in, failure.CodeInput
	case "CONNECTION_REFUSED", "HOST_UNREACHABLE", "IO_TIMEOUT", "NOT_FOUND":
		return "the server does not answer at its address" + in, failure.CodeUnreachable
	case "DISK_FULL":
		return fullTarget + in, failure.CodeLimit
	case "", "OK":
		if exit != 0 {
			return fmt.Sprintf("smbclient ended with exit code %d", exit), failure.CodeInternal
		}
		return "", ""
	}
	return "the server says " + status, failure.CodeInternal
}
