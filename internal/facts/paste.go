package facts

import (
	"bytes"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// piece is a part of a pasted terminal session: a command with what it printed, or commands that printed nothing, which are a script.
type piece struct {
	command string // as it was typed; of a script: empty
	text    []byte
}

// prompt is one form of a prompt: group 1 is who is prompted, group 2 the rest of the line. A weak one may be other text too: it counts only
// before a word that begins a command, or where the same host was prompted before.
type prompt struct {
	form *lazyregexp.Regexp
	weak bool
}

// prompts of shells and of the command lines of switches:
//
//	[root@nas ~]# lspci        root@truenas[~]# lspci     user@host:~/x$ ip link    host:~$ ip link
//	PS C:\Users\x> Get-Foo     [nas]: PS C:\> Get-Foo     C:\Users\x>mlxup
//	switch# show foo           switch [standalone: master] (config) # show foo      leaf1(config-if)#show foo
//
// That of RouterOS has the menu in it: routerosPrompt.
var prompts = []prompt{
	{lazyregexp.New(`^\[([\w.-]{1,64}@[\w.-]{1,64}) [^\[\]]{1,120}\][#$%] ?(.*)$`), false},
	{lazyregexp.New(`^((?:\([\w.-]{1,40}\) )?[\w.-]{1,64}@[\w.:-]{1,80}?(?:\[[^\]]{0,120}\]|:[~/]\S{0,120}|:))\s?[#$%] ?(.*)$`), false},
	{lazyregexp.New(`^([A-Za-z][\w.-]{0,62}:[~/]\S{0,120})\s?[#$] ?(.*)$`), false},
	{lazyregexp.New(`^((?:\[[\w.-]{1,64}\]: )?PS [A-Za-z]:\\[^<>|]{0,200})> ?(.*)$`), false},
	{lazyregexp.New(`^([A-Za-z]:\\[^<>|:]{0,200})> ?(.*)$`), false},
	{lazyregexp.New(`^([A-Za-z][\w.-]{0,62})(?: ?\[[^\[\]]{1,80}\])?(?: ?\([\w./ -]{1,60}\))? ?[#>] ?(.*)$`), true},
}

// verbs begin commands of switches.
var verbs = lazyregexp.New(`^(?:sh|sho|show|display|en|enable|disable|conf|configure|config|exit|end|terminal|no|interface|write|copy|bash|nv|net|clear|roce|lldp|dcb|qos|traffic|ping|sudo|fae|cli|debug|monitor|dmesg|ethtool|ip|lspci)\b`)

// prompted takes the prompt off a line. known are hosts that were prompted before.
func prompted(line string, known map[string]bool) (host, command string, ok bool) {
	if !strings.ContainsAny(line, "#$>%") {
		return "", "", false
	}
	for _, p := range prompts {
		m := p.form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		command = strings.TrimSpace(m[2])
		if p.weak && !verbs.MatchString(command) && !(known[m[1]] && (command == "" || verbs.MatchString(command))) {
			continue
		}
		return m[1], command, true
	}
	// "$ ip link", "# lspci": of no host; only where it is a command whose output is read.
	if rest, ok := strings.CutPrefix(line, "$ "); ok && isSource(rest) {
		return "$", strings.TrimSpace(rest), true
	}
	if rest, ok := strings.CutPrefix(line, "# "); ok && isSource(rest) {
		return "#", strings.TrimSpace(rest), true
	}
	return "", "", false
}

// isSource says whether a command is one whose output is read.
func isSource(command string) bool {
	_, _, ok := find(sources(), command, "", nil)
	return ok
}

// filters behind a command leave all of its lines, or all lines of one kind.
var filters = lazyregexp.New(`\s*\|\s*(?:no-more|more|less|cat)\s*$`)

// split takes a pasted session apart at its prompts. nil: there is no prompt in it.
func split(text []byte) []piece {
	if p := splitRouterOS(text); p != nil {
		return p
	}
	var out []piece
	known, seen := map[string]bool{}, false
	open := false // the last piece waits for its output
	end := func() {
		if n := len(out) - 1; open && len(bytes.TrimSpace(out[n].text)) == 0 { // it printed nothing: it belongs to a script
			line := out[n].command
			out = scripted(out[:n], "", line)
		}
		open = false
	}
	for line := range bytes.Lines(text) {
		host, command, ok := prompted(strings.TrimRight(string(line), "\r\n"), known)
		switch {
		case ok:
			end()
			seen, known[host] = true, true
			if command = filters.ReplaceAllString(command, ""); command != "" {
				out, open = append(out, piece{command: command}), true
			}
		case open:
			n := len(out) - 1
			out[n].text = append(out[n].text, line...)
		case !seen && len(bytes.TrimSpace(line)) > 0: // before the first prompt
			out = scripted(out, "", strings.TrimRight(string(line), "\r\n"))
		}
	}
	end()
	if !seen {
		return nil
	}
	return out
}

// scripted adds a line to the script of that name at the end of pieces.
func scripted(pieces []piece, name, line string) []piece {
	if n := len(pieces) - 1; n >= 0 && pieces[n].command == name {
		pieces[n].text = append(pieces[n].text, line+"\n"...)
		return pieces
	}
	return append(pieces, piece{name, []byte(line + "\n")})
}

// pasted makes sources of a session that somebody pasted into a file: ok is false where it is none, or nothing of it is read; then
// the file is one output.
func pasted(name string, text []byte) (files []file, notRead []Unknown, ok bool) {
	pieces := split(text)
	for _, p := range pieces {
		command := p.command
		known := command != "" && isSource(command)
		if !known {
			if before, filter, cut := strings.Cut(command, "|"); cut && strings.TrimSpace(before) == "dmesg" && strings.Contains(filter, "grep") {
				command, known = "dmesg", true // some lines of a log are lines of a log
			}
		}
		if !known {
			if k, rest, ok := recognise("", p.text); ok {
				files = append(files, k.pieces(rest, p.text)...)
				continue
			}
		}
		switch {
		case known:
			files = append(files, file{command, p.text})
		case p.command != "" && len(bytes.TrimSpace(p.text)) > 0:
			notRead = append(notRead, Unknown{name + ": " + p.command, "the output of this command is not read"})
		}
	}
	if len(pieces) == 1 && len(files) > 0 {
		return files, nil, slices.ContainsFunc(files, func(f file) bool { return f.Name == pieces[0].command })
	}
	return files, notRead, len(files) > 0
}
