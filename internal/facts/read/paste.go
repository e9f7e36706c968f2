package read

import (
	"bytes"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	routeros "linerate/internal/device/routeros/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/snapshot"
)

// prompt is one form of a prompt: group 1 is the host, group 2 the rest of the line. A weak one may also be other text:
// it only counts before a word that begins a command, or if the same host was prompted before.
type prompt struct {
	form *lazyregexp.Regexp
	weak bool
}

// prompts are those of shells and of the command lines of switches:
//
//	[root@nas ~]# lspci        root@truenas[~]# lspci     user@host:~/x$ ip link    host:~$ ip link
//	PS C:\Users\x> Get-Foo     [nas]: PS C:\> Get-Foo     C:\Users\x>mlxup
//	switch# show foo           switch [standalone: master] (config) # show foo      leaf1(config-if)#show foo
//
// RouterOS's contains the menu: routerosPrompt.
var prompts = []prompt{
	{lazyregexp.New(`^\[([\w.-]{1,64}@[\w.-]{1,64}) [^\[\]]{1,120}\][#$%] ?(.*)$`), false},
	{
		lazyregexp.New(`^((?:\([\w.-]{1,40}\) )?[\w.-]{1,64}@[\w.:-]{1,80}?(?:\[[^\]]{0,120}\]|:[~/]\S{0,120}|:))\s?[#$%] ?(.*)$`),
		false,
	},
	{lazyregexp.New(`^([A-Za-z][\w.-]{0,62}:[~/]\S{0,120})\s?[#$] ?(.*)$`), false},
	{lazyregexp.New(`^((?:\[[\w.-]{1,64}\]: )?PS [A-Za-z]:\\[^<>|]{0,200})> ?(.*)$`), false},
	{lazyregexp.New(`^([A-Za-z]:\\[^<>|:]{0,200})> ?(.*)$`), false},
	{lazyregexp.New(`^([A-Za-z][\w.-]{0,62})(?: ?\[[^\[\]]{1,80}\])?(?: ?\([\w./ -]{1,60}\))? ?[#>] ?(.*)$`), true},
}

// verbs begin commands of switches.
var verbs = lazyregexp.New(`^(?:sh|sho|show|display|en|enable|disable|conf|configure|config|exit|end|terminal|no|interface|write|copy|bash|nv|net|clear|roce|lldp|dcb|qos|traffic|ping|sudo|fae|cli|debug|monitor|dmesg|ethtool|ip|lspci)\b`)

// Prompt removes the prompt of a line. known are hosts that were prompted before. isCommand reports whether a command
// line is of a program that is expected, in addition to those that have a parser.
func Prompt(line string, known map[string]bool, isCommand func(string) bool) (host, command string, ok bool) {
	if !strings.ContainsAny(line, "#$>%") {
		return "", "", false
	}
	for _, p := range prompts {
		m := p.form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		command = strings.TrimSpace(m[2])
		if p.weak && !verbs.MatchString(command) && !isCommand(command) &&
			!(known[m[1]] && (command == "" || verbs.MatchString(command))) {
			continue
		}
		return m[1], command, true
	}
	// "$ ip link", "# lspci": without a host; only if the command has a parser.
	if rest, ok := strings.CutPrefix(line, "$ "); ok && (IsSource(rest) || isCommand(rest)) {
		return "$", strings.TrimSpace(rest), true
	}
	if rest, ok := strings.CutPrefix(line, "# "); ok && (IsSource(rest) || isCommand(rest)) {
		return "#", strings.TrimSpace(rest), true
	}
	return "", "", false
}

// noOther expects no program beyond those that have a parser.
func noOther(string) bool { return false }

// IsSource reports whether a command has a parser.
func IsSource(command string) bool {
	_, _, ok := Find(Sources(), command, "", nil)
	return ok
}

// filters are pipes after a command that keep all of its lines, or all lines of one kind.
var filters = lazyregexp.New(`\s*\|\s*(?:no-more|more|less|cat)\s*$`)

// split splits a pasted session at its prompts. nil: it has no prompt.
func split(text []byte) []parse.Piece {
	if p := routeros.SplitSession(text); p != nil {
		return p
	}
	var out []parse.Piece
	known, seen := map[string]bool{}, false
	open := false // the last piece waits for its output
	end := func() {
		if n := len(out) - 1; open && len(bytes.TrimSpace(out[n].Text)) == 0 { // without output: it belongs to a script
			line := out[n].Command
			out = parse.Scripted(out[:n], "", line)
		}
		open = false
	}
	for line := range bytes.Lines(text) {
		host, command, ok := Prompt(strings.TrimRight(string(line), "\r\n"), known, noOther)
		switch {
		case ok:
			end()
			seen, known[host] = true, true
			if command = filters.ReplaceAllString(command, ""); command != "" {
				out, open = append(out, parse.Piece{Command: command}), true
			}
		case open:
			n := len(out) - 1
			out[n].Text = append(out[n].Text, line...)
		case !seen && len(bytes.TrimSpace(line)) > 0: // before the first prompt
			out = parse.Scripted(out, "", strings.TrimRight(string(line), "\r\n"))
		}
	}
	end()
	if !seen {
		return nil
	}
	return out
}

// pasted makes sources of a pasted session: ok is false if it is not one, or none of its commands has a parser; then
// the file is one output.
func pasted(name string, text []byte) (files []snapshot.File, notRead []facts.Unknown, ok bool) {
	pieces := split(text)
	for _, p := range pieces {
		command := p.Command
		known := command != "" && IsSource(command)
		if !known {
			if before, filter, cut := strings.Cut(command, "|"); cut && strings.TrimSpace(before) == "dmesg" &&
				strings.Contains(filter, "grep") {
				command, known = "dmesg", true // some lines of a log are lines of a log
			}
		}
		if !known {
			if k, rest, ok := recognise("", p.Text); ok {
				files = append(files, piecesOf(k, rest, p.Text)...)
				continue
			}
		}
		switch {
		case known:
			files = append(files, snapshot.File{Name: command, Data: p.Text})
		case p.Command != "" && len(bytes.TrimSpace(p.Text)) > 0:
			notRead = append(notRead, facts.Unknown{Subject: name + ": " + p.Command,
				Reason: "the output of this command is not read"})
		}
	}
	if len(pieces) == 1 && len(files) > 0 {
		return files, nil, slices.ContainsFunc(files, func(f snapshot.File) bool { return f.Name == pieces[0].Command })
	}
	return files, notRead, len(files) > 0
}
