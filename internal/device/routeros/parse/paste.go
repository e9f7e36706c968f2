package parse

import (
	"bytes"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

// routerosCommands is the source of a session's commands that change something: a script.
const routerosCommands = "commands"

// routerosPrompt contains the menu: "[admin@MikroTik] >", "[admin@MikroTik] /interface/ethernet/switch>" (RouterOS 7),
// "[admin@MikroTik] /interface ethernet>" (6), and <SAFE> in safe mode.
var routerosPrompt = lazyregexp.New(`^\[[^\[\]\s@]{1,64}@[^\[\]]{1,64}\] (?:<SAFE> ?)?((?:/[a-z0-9/ -]{0,120})?)(?:<SAFE>)?> ?(.*)$`)

// routerosChange begins a line of a script, routerosShow a line with output after it.
var (
	routerosChange = lazyregexp.New(`^(?:set|add|remove|unset|enable|disable)\s`)
	routerosShow   = lazyregexp.New(`^(?:print|monitor)(?:\s[a-z0-9 =,".-]*)?$`)
)

// SplitSession splits a session of RouterOS at its prompts, or notes of commands and their output at the menus and
// commands. It drops a line "---" between both. nil: the text is neither.
func SplitSession(text []byte) []parse.Piece {
	s := routerosSession{}
	for line := range bytes.Lines(text) {
		if m := routerosPrompt.FindStringSubmatch(strings.TrimRight(string(line), "\r\n")); m != nil {
			s.prompts = true
		}
		if routerosShow.Match(bytes.TrimSpace(line)) || bytes.HasPrefix(line, []byte("/")) && shows(string(line)) {
			s.shown = true
		}
	}
	if !s.prompts && !(s.shown && menuLine.Match(text)) {
		return nil
	}
	for line := range bytes.Lines(text) {
		s.line(strings.TrimRight(string(line), "\r\n"))
	}
	s.end()
	return s.pieces
}

var menuLine = lazyregexp.New(`(?m)^/(?:interface|ip|system)\b`)

func shows(line string) bool {
	_, verb, _, ok := routerosCommand(line, nil)
	return ok && (verb == "print" || verb == "monitor")
}

// routerosSession is a session during splitting.
type routerosSession struct {
	prompts, shown bool
	menu           []string
	pieces         []parse.Piece
	open           bool // the following lines belong to the last piece
}

func (s *routerosSession) line(line string) {
	if m := routerosPrompt.FindStringSubmatch(line); m != nil {
		s.end()
		s.menu, _, _, _ = routerosCommand("/"+strings.TrimPrefix(m[1], "/"), nil)
		if command := strings.TrimSpace(m[2]); command != "" && !strings.HasPrefix(command, "#") {
			s.command(command)
		}
		return
	}
	if n := len(s.pieces) - 1; !s.open && n >= 0 && s.pieces[n].Command == routerosCommands &&
		bytes.HasSuffix(s.pieces[n].Text, []byte("\\\n")) {
		s.pieces[n].Text = append(s.pieces[n].Text, line+"\n"...) // a command that continues
		return
	}
	if !s.prompts {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "---", !s.open && (trimmed == "" || strings.HasPrefix(trimmed, "#")):
			return
		case strings.HasPrefix(line, "/"):
			if _, _, _, ok := routerosCommand(line, nil); ok {
				s.end()
				s.command(trimmed)
				return
			}
		case s.menu != nil && (routerosChange.MatchString(trimmed) || routerosShow.MatchString(trimmed)):
			s.end()
			s.command(trimmed)
			return
		}
	}
	if s.open {
		n := len(s.pieces) - 1
		s.pieces[n].Text = append(s.pieces[n].Text, line+"\n"...)
	}
}

// command processes a typed command: it enters a menu, changes something, or prints something.
func (s *routerosSession) command(line string) {
	menu, verb, args, ok := routerosCommand(line, s.menu)
	path := "/" + strings.Join(menu, " ")
	switch {
	case !ok:
		s.pieces, s.open = append(s.pieces, parse.Piece{Command: line}), true
	case verb == "": // only a menu
		s.menu = menu
	case verb == "print" || verb == "monitor" || verb == "export" || verb == "get":
		name := strings.TrimRight(path, " /") + " " + verb
		if path == "/" {
			name = "/" + verb
		}
		if args != "" {
			name += " " + args
		}
		s.pieces, s.open = append(s.pieces, parse.Piece{Command: name}), true
	default:
		if strings.HasPrefix(line, "/") {
			s.pieces = parse.Scripted(s.pieces, routerosCommands, line)
			return
		}
		s.pieces = parse.Scripted(parse.Scripted(s.pieces, routerosCommands, path), routerosCommands, line)
	}
}

func (s *routerosSession) end() { s.open = false }
