package show

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// LAGMember is a member of an aggregated link in a switch's output.
type LAGMember struct {
	LAG, Port string
	In        bool // it carries traffic of the aggregated link
	Why       string
	facts.Proof
}

// KeepLAG records whether an aggregated link is up.
func KeepLAG(f *parse.Builder, name string, up bool) {
	if StateOf(f).lags == nil {
		StateOf(f).lags = map[string]bool{}
	}
	StateOf(f).lags[name] = up
}

// KeepMember records a member of an aggregated link, and whether it carries the link's traffic.
func KeepMember(f *parse.Builder, m LAGMember) {
	f.Interface(m.Port).Master = m.LAG
	StateOf(f).members = append(StateOf(f).members, m)
}

// settleMembers reports the missing members of aggregated links that are up; one line a port.
func settleMembers(f *parse.Builder) {
	reported := map[string]bool{}
	for _, m := range StateOf(f).members {
		if StateOf(f).lags[m.LAG] && !m.In && !reported[m.Port] {
			reported[m.Port] = true
			f.Happened(facts.Event{What: facts.MemberDown, Subject: m.Port, Detail: m.LAG, Proof: m.Proof})
		}
	}
	StateOf(f).members, StateOf(f).lags = nil, nil
}
