package run

import (
	"fmt"
	"os"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/traffic"
)

// theirs is the share of the user's own server as the tool of the other host gets at it; nil: linerate gives the folder out. The password is read here, where linerate runs, and
// stands in no record.
func (b *copyCell) theirs() (*agent.Shared, error) {
	if b.share == nil {
		return nil, nil
	}
	v := &agent.Shared{Kind: b.over, At: b.share.At(), Port: b.share.Port, Prefix: b.share.Folder, Domain: b.share.Domain, User: b.share.User, What: "your own, " + b.share.String(), Theirs: true}
	if b.login == "" {
		return v, nil
	}
	bad := func(text string) error {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "login env:" + b.login, Text: text}
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
			return nil, bad(fmt.Sprintf("whose password it is is not known; write the user into the share, USER@%s, or USER:PASSWORD into the variable", b.share.Host))
		}
		v.User, v.Password = user, password
	}
	return v, nil
}

// theirKey is who logs in where: whom a server refused once is not tried again in this run, because servers lock accounts.
func theirKey(v *agent.Shared) string {
	return strings.Join([]string{v.Kind, v.At, v.Domain, v.User}, " ")
}

// refusedBefore is what a server of the user's said of this login in another cell; nil: it has not refused it.
func (s *session) refusedBefore(v *agent.Shared) error {
	if v == nil || s.refused[theirKey(v)] == nil {
		return nil
	}
	before := s.refused[theirKey(v)]
	return &traffic.Error{Code: traffic.CodeRefused, Subject: before.Subject, Text: "not tried again, because this login was refused: " + before.Text}
}

// keepRefusal remembers that a server of the user's refused a login.
func (s *session) keepRefusal(v *agent.Shared, err error) {
	if e := asMeasure(err); e != nil && e.Code == traffic.CodeRefused && v != nil && v.Theirs {
		if s.refused == nil {
			s.refused = map[string]*traffic.Error{}
		}
		s.refused[theirKey(v)] = e
	}
}
