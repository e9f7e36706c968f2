package facts

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ToldSetting is a setting of the kernel that a kept file asks for, and what the kernel says that it is.
type ToldSetting struct {
	Name, Value string
	Proof       // the line that asks for it; of several files the one that counts
	// Now is its value, NowProof the line that says so; both are empty where it was not read.
	Now      string
	NowProof Proof
}

// Differs says whether the setting is known to be another one. Blanks between values do not count, nor how a number is written.
func (s *ToldSetting) Differs() bool {
	if s.NowProof.Line == "" {
		return false
	}
	a, b := strings.Fields(s.Value), strings.Fields(s.Now)
	return !slices.EqualFunc(a, b, func(x, y string) bool {
		n, ok1 := sizeOf(x)
		m, ok2 := sizeOf(y)
		return x == y || ok1 && ok2 && n == m
	})
}

// sizeOf reads a whole number, also with the k, m, g or t behind it that FreeBSD's loader takes.
func sizeOf(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	shift, base := 0, 10
	if i := strings.IndexByte("kmgt", s[len(s)-1]|0x20); i >= 0 {
		shift, s = 10*(i+1), s[:len(s)-1]
	}
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		s, base = hex, 16
	}
	n, err := strconv.ParseInt(s, base, 64)
	if err != nil || n > 1<<62>>shift || n < -(1<<62>>shift) {
		return 0, false
	}
	return n << shift, true
}

// asks keeps that a file asks for a setting. rank orders files: of two that ask for one setting the higher counts, of equal ones the later.
func (f *Facts) asks(name, value, rank string, p Proof) {
	if f.wanted == nil {
		f.wanted = map[string]rankedSetting{}
	}
	if before, ok := f.wanted[name]; ok && before.rank > rank || !ok && len(f.wanted) >= maxAsked {
		return
	}
	f.wanted[name] = rankedSetting{ToldSetting{Name: name, Value: value, Proof: p}, rank}
}

// rankedSetting is one that a file asks for, with what orders the files.
type rankedSetting struct {
	ToldSetting
	rank string
}

// maxAsked bounds how many settings files ask for.
const maxAsked = 4096

// is keeps what the kernel says of a setting.
func (f *Facts) is(name, value string, p Proof) {
	if f.printed == nil {
		f.printed = map[string]printedSetting{}
	}
	if len(f.printed) < 1<<16 {
		f.printed[name] = printedSetting{value, p}
	}
}

type printedSetting struct {
	value string
	proof Proof
}

// settleSettings holds what files ask for beside what is so.
func settleSettings(f *Facts) {
	for _, name := range slices.Sorted(maps.Keys(f.wanted)) {
		s := f.wanted[name].ToldSetting
		if now, ok := f.printed[name]; ok {
			s.Now, s.NowProof = now.value, now.proof
		}
		f.ToldSettings = append(f.ToldSettings, s)
	}
	f.wanted, f.printed = nil, nil
}

// readSysctlFile reads /etc/sysctl.conf and the files of /etc/sysctl.d of Linux: "net.ipv4.tcp_rmem = 4096 131072 134217728", with / in place of
// points, and - before the name where a failure is none. Files are taken in the order of their names, whatever the folder; Debian's
// /etc/sysctl.conf is 99-sysctl.conf. A name with a * stands for several and is left out. Format:
// https://man7.org/linux/man-pages/man5/sysctl.d.5.html; no capture is behind it, but what package config renders.
func readSysctlFile(f *Facts, _ []string, text []byte) error {
	rank := path.Base(f.reading)
	if rank == "sysctl.conf" {
		rank = "99-sysctl.conf"
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimPrefix(strings.TrimSpace(name), "-")
		if !ok || line[0] == '#' || line[0] == ';' || name == "" || strings.ContainsAny(name, " \t") {
			continue
		}
		found++
		if slash := strings.IndexByte(name, '/'); slash >= 0 && !strings.Contains(name[:slash], ".") { // eth0.7 of net/ipv4/conf/eth0.7/forwarding
			name = strings.NewReplacer("/", ".", ".", "/").Replace(name)
		}
		if !strings.ContainsRune(name, '*') {
			f.asks(name, strings.TrimSpace(value), rank, f.proof(line))
		}
	}
	if found == 0 && strings.TrimSpace(string(withoutComments(text))) != "" {
		return errors.New("no line of it sets something (NAME = VALUE)")
	}
	return nil
}

// withoutComments are the lines of a configuration that say something.
func withoutComments(text []byte) []byte {
	var out []string
	for line := range strings.Lines(string(text)) {
		if t := strings.TrimSpace(line); t != "" && t[0] != '#' && t[0] != ';' {
			out = append(out, t)
		}
	}
	return []byte(strings.Join(out, "\n"))
}
