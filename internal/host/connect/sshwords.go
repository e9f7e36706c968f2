package connect

import (
	"net/netip"
	"strings"
)

// sshTry returns the next step for ssh's output (OpenSSH's messages, which are only in English): a command to type, and
// further text, either of them empty.
func sshTry(said, dest string) (do, say string) {
	for _, s := range []struct{ words, do, say string }{
		{"REMOTE HOST IDENTIFICATION HAS CHANGED", "", "find out why the host's key is another one; if that is right: " +
			"ssh-keygen -R NAME, then `ssh HOST` once by hand"},
		{"Host key verification failed", "ssh HOST", "once by hand, and compare the fingerprint that it shows"},
		{"Too many authentication failures", "", "name one key for the host in ~/.ssh/config: IdentityFile and " +
			"IdentitiesOnly yes"},
		{"Permission denied", "ssh-copy-id HOST", "or ssh-add for a key with a passphrase; passwords are not asked for"},
		{"Connection refused", "", "start sshd on the host (systemctl start ssh), or give its Port in ~/.ssh/config"},
		{"Could not resolve hostname", "getent hosts NAME", "where that shows no address, write an address in place of " +
			"the name, or add the name to /etc/hosts or as Host with HostName to ~/.ssh/config"},
		{"timed out", "ping -c 3 NAME", "is it switched on, is the address right, does a firewall drop port 22"},
		{"No route to host", "ROUTE", "is it switched on and in a network that this machine reaches"},
		{"Network is unreachable", "ROUTE", "this machine has no route to its network"},
		{"not responding", "ping -c 3 NAME", "it stopped answering while the command ran"},
		{"no matching ", "", "an old or a strict device: under Host in ~/.ssh/config add the offered algorithm " +
			"(HostKeyAlgorithms +.. or KexAlgorithms +..)"},
		{"Bad configuration option", "", "correct ssh's configuration file as named"},
		{"Bad owner or permissions", "", "chmod 600 for ssh's configuration file as named"},
		{"Cannot execute command-line and remote command", "", "under Host in ~/.ssh/config set RemoteCommand none"},
		{"kex_exchange_identification", "", "look at sshd's log on the host (journalctl -u ssh): it closed the connection " +
			"before the login (MaxStartups, PerSourcePenalties, hosts.deny)"},
		{"Connection reset", "", "look at sshd's log on the host (journalctl -u ssh)"},
		{"closed by remote host", "", "look whether the host restarted or its sshd was stopped"},
		{"Connection closed", "", "look at sshd's log on the host (journalctl -u ssh)"},
	} {
		if strings.Contains(said, s.words) {
			name := triedAt(said, dest)
			route := "ping -c 3 " + name // ip takes only addresses
			if _, err := netip.ParseAddr(name); err == nil {
				route = "ip route get " + name
			}
			to := strings.NewReplacer("HOST", dest, "NAME", name, "ROUTE", route)
			return to.Replace(s.do), to.Replace(s.say)
		}
	}
	return "ssh -v " + dest + " true", ""
}

// triedAt returns the address or the name that ssh reports, or else that of what was typed. A name that was typed may
// be defined in ssh's configuration alone.
func triedAt(said, dest string) string {
	_, rest, _ := strings.Cut(said, "connect to host ")
	if word, _, _ := strings.Cut(rest, " "); word != "" {
		return word
	}
	return dest[strings.LastIndexByte(dest, '@')+1:]
}
