package connect

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// quote quotes a word for a Unix shell's command line: sh, bash, zsh, ksh, fish and, except for newlines, csh. The last
// two interpret a backslash or an exclamation mark inside single quotes, so both are put outside.
func quote(word string) string {
	if plainWord(word) {
		return word
	}
	var b strings.Builder
	open := false
	toggle := func(want bool) {
		if open != want {
			b.WriteByte('\'')
			open = want
		}
	}
	for i := 0; i < len(word); i++ {
		switch c := word[i]; c {
		case '\'', '\\', '!':
			toggle(false)
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			toggle(true)
			b.WriteByte(c)
		}
	}
	toggle(false)
	if word == "" {
		return "''"
	}
	return b.String()
}

// plainWord reports whether word has no special meaning in any shell, Windows' and switches' included.
func plainWord(word string) bool {
	for i := 0; i < len(word); i++ {
		c := word[i]
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && !strings.ContainsRune("_-./:+,@", rune(c)) {
			return false
		}
	}
	return word != ""
}

// guard runs on the host, in the shell that sshd starts. It exports the environment, runs the command, and kills the
// process group when its parent, sshd's process for this connection, has ended: sshd itself kills nothing. A command
// that ends at the end of its input has a second for that. On standard error the guard reports what ssh's exit code
// cannot: a missing program, or an exit code 255 that is not ssh's. It is one line, because csh ends a command at a
// newline even inside quotes.
const guard = `PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; linerate_p=$PPID; linerate_n=$1; shift; ` +
	`while [ $linerate_n -gt 0 ]; do export "$1"; shift; linerate_n=$((linerate_n-1)); done; ` +
	`printf "\036linerate pid $$\n" >&2; ` +
	`command -v "$1" >/dev/null 2>&1 || { printf "\036linerate no-program\n" >&2; exit 127; }; ` +
	`(while kill -0 $linerate_p && kill -0 $$; do sleep 1; done; kill -0 $$ && sleep 1 && kill -0 $$ && { ` +
	killGuarded + `; }) </dev/null >/dev/null 2>&1 & ` +
	`linerate_w=$!; (exec "$@"); linerate_s=$?; kill $linerate_w 2>/dev/null; [ $linerate_s = 255 ] && printf "\036linerate exit-255\n" >&2; exit $linerate_s`

// exitGuard is guard for a tool that kills what it started, or whose end cannot be seen on the host. It does not watch
// its parent, and reports the program's exit code, because the tool's own code has other meanings, too.
const exitGuard = `PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin; linerate_n=$1; shift; ` +
	`while [ $linerate_n -gt 0 ]; do export "$1"; shift; linerate_n=$((linerate_n-1)); done; ` +
	`printf "\036linerate pid $$\n" >&2; ` +
	`command -v "$1" >/dev/null 2>&1 || { printf "\036linerate no-program\n" >&2; exit 127; }; ` +
	`(exec "$@"); linerate_s=$?; printf "\036linerate exit $linerate_s\n" >&2; exit $linerate_s`

// pipedGuard is exitGuard for a tool that gives programs a terminal as standard output: it replaces it by a pipe.
const pipedGuard = `{ ` + exitGuard + `; } | cat`

// guarded returns the command with a guard before it.
func guarded(guard string, c Command) []string {
	argv := append([]string{"sh", "-c", guard, "linerate", fmt.Sprint(len(c.Env))}, c.Env...)
	return append(argv, c.Argv...)
}

// killGuarded kills the group of the guard if the guard leads one, as under OpenSSH, and else its children.
const killGuarded = `kill -9 -$$ || { pkill -9 -P $$; kill -9 $$; }`

// killScript returns the script that kills the group of the guard with that process id.
func killScript(pid int) string { return strings.ReplaceAll(killGuarded, "$$", fmt.Sprint(pid)) }

// escaped replaces line breaks, as printf's %b restores them.
var escaped = strings.NewReplacer("\n", `\0012`, `\`, `\0134`)

// withLines is a part of the guard that restores the line breaks of its words. The dot keeps those at their ends.
const withLines = `linerate_i=$#; while [ $linerate_i -gt 0 ]; do ` +
	`linerate_a=$(printf %b. "$1"); shift; set -- "$@" "${linerate_a%.}"; ` +
	`linerate_i=$((linerate_i-1)); done; `

// unixLine returns the command line for a remote Unix shell. It is one line, because csh ends a command at a line break
// even inside quotes: words that have some are sent without, and the guard restores them.
func unixLine(c Command) string {
	given, before := append(slices.Clone(c.Env), c.Argv...), ""
	if strings.Contains(strings.Join(given, ""), "\n") {
		before = withLines
		for i, word := range given {
			given[i] = escaped.Replace(word)
		}
	}
	words := []string{"exec", "sh", "-c", quote(before + guard), "linerate", fmt.Sprint(len(c.Env))}
	for _, word := range given {
		words = append(words, quote(word))
	}
	return strings.Join(words, " ")
}

// windowsLine returns the command line for cmd.exe. Words that cmd.exe would change are refused, because it has no
// quoting for all of them.
func windowsLine(c Command) (string, error) {
	if len(c.Env) > 0 {
		return "", fmt.Errorf("an environment cannot be given to a command over cmd.exe")
	}
	var words []string
	for _, a := range c.Argv {
		switch {
		case plainWord(a):
		case strings.ContainsAny(a, "\"%!^&|<>\r\n") || strings.HasSuffix(a, `\`):
			return "", fmt.Errorf("the argument %q cannot be given over cmd.exe", a)
		default:
			a = `"` + a + `"`
		}
		words = append(words, a)
	}
	return strings.Join(words, " "), nil
}

// powershellLine returns the command line for a remote PowerShell. PowerShell drops double quotes from the arguments of
// programs, so they are refused.
func powershellLine(c Command) (string, error) {
	var b strings.Builder
	literal := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	for _, e := range c.Env {
		name, value, _ := strings.Cut(e, "=")
		fmt.Fprintf(&b, "$env:%s = %s; ", name, literal(value))
	}
	b.WriteString("&")
	for _, a := range c.Argv {
		if strings.ContainsAny(a, "\"\r\n\u2018\u2019\u201a\u201b") {
			return "", fmt.Errorf("the argument %q cannot be given over PowerShell", a)
		}
		b.WriteString(" " + literal(a))
	}
	b.WriteString("; exit $LASTEXITCODE")
	return strings.Join(PowerShell(b.String()), " "), nil
}

// PowerShell returns the command that runs a PowerShell script on a Windows host. The script goes in -EncodedCommand's
// form, base64 over UTF-16LE, which no shell on the path interprets.
func PowerShell(script string) []string {
	var raw []byte
	for _, u := range utf16.Encode([]rune(script)) {
		raw = binary.LittleEndian.AppendUint16(raw, u)
	}
	return []string{"powershell", "-NoProfile", "-NonInteractive", "-EncodedCommand",
		base64.StdEncoding.EncodeToString(raw)}
}

// plainLine returns the command line for a switch: the words unquoted, because quoting depends on the device.
func plainLine(c Command) (string, error) {
	if len(c.Env) > 0 {
		return "", fmt.Errorf("this far end has no environment for a command")
	}
	line := strings.Join(c.Argv, " ")
	if strings.ContainsAny(line, "\r\n") {
		return "", fmt.Errorf("the command %q has a line break", line)
	}
	return line, nil
}
