package facts

// lagMember is what a switch's answer says of a member of an aggregated link.
type lagMember struct {
	lag, port string
	in        bool // it carries traffic of the aggregated link
	why       string
	Proof
}

// lag notes whether an aggregated link is up.
func (f *Facts) lag(name string, up bool) {
	if f.said.lags == nil {
		f.said.lags = map[string]bool{}
	}
	f.said.lags[name] = up
}

// member notes a member of an aggregated link: of which it is one, and whether it carries its traffic.
func (f *Facts) member(m lagMember) {
	f.nic(m.port).Master = m.lag
	f.said.members = append(f.said.members, m)
}

// settleMembers says which members an aggregated link that is up has to do without; one line a port.
func settleMembers(f *Facts) {
	said := map[string]bool{}
	for _, m := range f.said.members {
		if f.said.lags[m.lag] && !m.in && !said[m.port] {
			said[m.port] = true
			f.happened(Event{What: MemberDown, Subject: m.port, Detail: m.lag, Proof: m.Proof})
		}
	}
	f.said.members, f.said.lags = nil, nil
}
