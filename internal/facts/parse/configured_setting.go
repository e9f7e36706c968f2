package parse

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"linerate/internal/facts"
)

// SettingAsked records a setting that a file configures. rank orders files: of two with one setting the higher one
// counts, of equal ones the later.
func (f *Builder) SettingAsked(name, value, rank string, p facts.Proof) {
	if f.wanted == nil {
		f.wanted = map[string]rankedSetting{}
	}
	if before, ok := f.wanted[name]; ok && before.rank > rank || !ok && len(f.wanted) >= maxConfigured {
		return
	}
	f.wanted[name] = rankedSetting{facts.ConfiguredSetting{Name: name, Value: value, Proof: p}, rank}
}

// rankedSetting is a configured setting with the rank of its file.
type rankedSetting struct {
	facts.ConfiguredSetting
	rank string
}

// maxConfigured is the largest number of settings that files configure.
const maxConfigured = 4096

// SettingIs records the kernel's value of a setting.
func (f *Builder) SettingIs(name, value string, p facts.Proof) {
	if f.printed == nil {
		f.printed = map[string]printedSetting{}
	}
	if len(f.printed) < 1<<16 {
		f.printed[name] = printedSetting{value, p}
	}
}

type printedSetting struct {
	value string
	proof facts.Proof
}

// SettleSettings compares configured settings with those in effect.
func SettleSettings(f *Builder) {
	for _, name := range slices.Sorted(maps.Keys(f.wanted)) {
		s := f.wanted[name].ConfiguredSetting
		if now, ok := f.printed[name]; ok {
			s.Now, s.NowProof = now.value, now.proof
		}
		f.ConfiguredSettings = append(f.ConfiguredSettings, s)
	}
	f.wanted, f.printed = nil, nil
}

// ReadSysctlFile reads /etc/sysctl.conf and the files of /etc/sysctl.d of Linux: "net.ipv4.tcp_rmem = 4096 131072
// 134217728", with / in place of points, and - before the name to ignore errors. Files count in the order of their
// names, whatever the folder; Debian's /etc/sysctl.conf is 99-sysctl.conf. It ignores names with a *. Format:
// https://man7.org/linux/man-pages/man5/sysctl.d.5.html; no snapshot exists, only what package config renders.
func ReadSysctlFile(f *Builder, _ []string, text []byte) error {
	rank := path.Base(f.Reading)
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
		if slash := strings.IndexByte(name, '/'); slash >= 0 &&
			!strings.Contains(name[:slash], ".") { // eth0.7 of net/ipv4/conf/eth0.7/forwarding
			name = strings.NewReplacer("/", ".", ".", "/").Replace(name)
		}
		if !strings.ContainsRune(name, '*') {
			f.SettingAsked(name, strings.TrimSpace(value), rank, f.Proof(line))
		}
	}
	if found == 0 && strings.TrimSpace(string(WithoutComments(text))) != "" {
		return errors.New("no line of it sets something (NAME = VALUE)")
	}
	return nil
}

// WithoutComments returns the lines of a configuration that are not comments.
func WithoutComments(text []byte) []byte {
	var out []string
	for line := range strings.Lines(string(text)) {
		if t := strings.TrimSpace(line); t != "" && t[0] != '#' && t[0] != ';' {
			out = append(out, t)
		}
	}
	return []byte(strings.Join(out, "\n"))
}
