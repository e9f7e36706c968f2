package facts

import (
	"bytes"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// routerosCommands are those of a session that change something, as the script that they are.
const routerosCommands = "commands"

// routerosPrompt has the menu in it: "[admin@MikroTik] >", "[admin@MikroTik] /interface/ethernet/switch>" (RouterOS 7),
// "[admin@MikroTik] /interface ethernet>" (6), and <SAFE> in safe mode.
var routerosPrompt = lazyregexp.New(`^\[[^\[\]\s@]{1,64}@[^\[\]]{1,64}\] (?:<SAFE> ?)?((?:/[a-z0-9/ -]{0,120})?)(?:<SAFE>)?> ?(.*)$`)

// routerosChange begins a line of a script, routerosShow one whose output follows.
var (
	routerosChange = lazyregexp.New(`^(?:set|add|remove|unset|enable|disable)\s`)
	routerosShow   = lazyregexp.New(`^(?:print|monitor)(?:\s[a-z0-9 =,".-]*)?$`)
)

// splitRouterOS takes a session of RouterOS apart: at its prompts; or, where somebody wrote down commands and what print answered, at
// the menus and commands. A separate line "---" between both is left out. nil: it is neither.
func splitRouterOS(text []byte) []piece {
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

// routerosSession is a session that is being taken apart.
type routerosSession struct {
	prompts, shown bool
	menu           []string
	pieces         []piece
	open           bool // the last piece takes the lines that follow
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
	if n := len(s.pieces) - 1; !s.open && n >= 0 && s.pieces[n].command == routerosCommands && bytes.HasSuffix(s.pieces[n].text, []byte("\\\n")) {
		s.pieces[n].text = append(s.pieces[n].text, line+"\n"...) // a command that goes on
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
		s.pieces[n].text = append(s.pieces[n].text, line+"\n"...)
	}
}

// command is one that was typed: it goes into a menu, changes something, or shows something.
func (s *routerosSession) command(line string) {
	menu, verb, args, ok := routerosCommand(line, s.menu)
	path := "/" + strings.Join(menu, " ")
	switch {
	case !ok:
		s.pieces, s.open = append(s.pieces, piece{command: line}), true
	case verb == "": // a menu alone
		s.menu = menu
	case verb == "print" || verb == "monitor" || verb == "export" || verb == "get":
		name := strings.TrimRight(path, " /") + " " + verb
		if path == "/" {
			name = "/" + verb
		}
		if args != "" {
			name += " " + args
		}
		s.pieces, s.open = append(s.pieces, piece{command: name}), true
	default:
		if strings.HasPrefix(line, "/") {
			s.pieces = scripted(s.pieces, routerosCommands, line)
			return
		}
		s.pieces = scripted(scripted(s.pieces, routerosCommands, path), routerosCommands, line)
	}
}

func (s *routerosSession) end() { s.open = false }
