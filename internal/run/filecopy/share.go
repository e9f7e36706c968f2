package filecopy

import (
	"fmt"
	"os"
	"strings"

	"linerate/internal/agent/copies"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// ownShareOf is the share of the user's own server, as the tool of the other host connects to it; nil: linerate exports
// the folder. The password is read on this machine, and is in no record.
func (b *copying) ownShareOf() (*copies.Shared, error) {
	if b.share == nil {
		return nil, nil
	}
	v := &copies.Shared{Kind: b.over, At: b.share.At(), Port: b.share.Port, Prefix: b.share.Folder,
		Domain: b.share.Domain, User: b.share.User, What: "your own, " + b.share.String(), Theirs: true}
	if b.login == "" {
		return v, nil
	}
	bad := func(text string) error {
		return &failure.Error{Code: failure.CodeInput, Subject: "login env:" + b.login, Text: text}
	}
	secret := os.Getenv(b.login)
	if secret == "" {
		return nil, bad("the variable " + b.login + " is not set where linerate runs; set it to the password of the share")
	}
	if strings.ContainsAny(secret, "\r\n\x00") {
		return nil, bad("the variable has more than one line, and a password has one")
	}
	if v.Password = secret; v.User == "" {
		user, password, ok := strings.Cut(secret, ":")
		if !ok || user == "" {
			return nil, bad(
				fmt.Sprintf(
					"whose password it is is not known; write the user into the share, USER@%s, or USER:PASSWORD into the variable",
					b.share.Host),
			)
		}
		v.User, v.Password = user, password
	}
	return v, nil
}

// loginKey identifies a login: a refused one is not tried again in this run, because servers lock accounts.
func loginKey(v *copies.Shared) string {
	return strings.Join([]string{v.Kind, v.At, v.Domain, v.User}, " ")
}

type refusalsKey struct{}

// refusals are the logins that the user's servers refused in a session, by loginKey.
func refusals(s experiment.Session) map[string]*failure.Error {
	return s.Shared(refusalsKey{}, func() any { return map[string]*failure.Error{} }).(map[string]*failure.Error)
}

// refusedBefore is the error of the same login in an earlier combination; nil: it was not refused.
func refusedBefore(s experiment.Session, v *copies.Shared) error {
	if v == nil {
		return nil
	}
	before := refusals(s)[loginKey(v)]
	if before == nil {
		return nil
	}
	return &failure.Error{Code: failure.CodeRefused, Subject: before.Subject,
		Text: "not tried again, because this login was refused: " + before.Text}
}

// keepRefusal remembers that a server of the user refused a login.
func keepRefusal(s experiment.Session, v *copies.Shared, err error) {
	if e := remote.AsError(err); e != nil && e.Code == failure.CodeRefused && v != nil && v.Theirs {
		refusals(s)[loginKey(v)] = e
	}
}

// Ceiling is the limit of the network, and of the drives as planned.
func (b *copying) Ceiling(s experiment.Session) {
	c := b.c
	if c.Record.Copy == nil {
		return
	}
	chain := record.Chain{From: c.Record.From, To: c.Record.To, Transport: "local"}
	if b.path != nil {
		protocol := "tcp"
		if b.over == overSMB {
			protocol = overSMB
		}
		chain = path.Storage(*b.path, c.Record.Direction, protocol, unit.MiB, experiment.ConditionsOf(s, *b.path))
	}
	if s.Lab() == nil && len(b.legs) == 1 { // a lab has folders instead of drives
		for k, i := range b.legs[0] {
			d := b.drives[i]
			if d == nil {
				continue
			}
			name, rate, bus := []string{c.Record.From, c.Record.To}[i], d.Read, d.Bus
			if k == 1 {
				rate = d.Write
			}
			if max(d.Count, 1) > 1 {
				bus = "" // how a set uses its buses is not known
			}
			path.AddDrive(&chain, "drive "+name, rate, bus)
		}
	}
	if chain.Limit > 0 {
		c.Record.Ceiling = &chain
	}
}
