package fabric

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Share is a share of a server that the user runs.
type Share struct {
	Kind         string // smb, ftp, http, nfs
	Scheme       string // of ftp and http: ftp, ftps, http, https
	Domain, User string // empty: the tool knows by itself
	Host         string
	Port         int    // 0: the protocol's own
	Name         string // of smb: the share
	Folder       string // below it, without slashes around it; of nfs the whole path
}

// shareForms is how the address of each kind of share is written.
var shareForms = map[string]string{
	"smb":  "//[USER@]HOST[:PORT]/SHARE[/FOLDER]",
	"ftp":  "ftp://[USER@]HOST[:PORT]/[FOLDER]",
	"http": "http://[USER@]HOST[:PORT]/[FOLDER]",
	"nfs":  "nfs://HOST[:PORT]/FOLDER or HOST:/FOLDER",
}

// ShareKinds are the protocols whose shares copy knows how to get at.
func ShareKinds() []string { return slices.Sorted(maps.Keys(shareForms)) }

// ShareForm is how the share of a kind is written.
func ShareForm(kind string) string { return shareForms[kind] }

// ParseShare reads the address of a share of one of ShareKinds: RFC 3986's parts without query and fragment; of smb also as Windows writes it (\\HOST\SHARE), and DOMAIN;USER@ before
// the host. An error says what is wrong with it and never shows a password.
func ParseShare(kind, text string) (Share, error) {
	s := Share{Kind: kind, Scheme: kind}
	rest := text
	switch kind {
	case "smb":
		rest = strings.ReplaceAll(rest, `\`, "/")
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "smb:"), "cifs:")
	case "nfs":
		if host, path, ok := strings.Cut(rest, ":/"); ok && !strings.Contains(host, "/") && !strings.HasPrefix(path, "/") {
			rest = "//" + host + "/" + path
		}
		rest = strings.TrimPrefix(rest, "nfs:")
	case "ftp", "http":
		scheme, after, _ := strings.Cut(rest, "://")
		if s.Scheme = strings.ToLower(scheme); s.Scheme == kind || s.Scheme == kind+"s" {
			rest = "//" + after
		}
	default:
		return s, fmt.Errorf("%.40q is no protocol whose shares are known; %s are", kind, strings.Join(ShareKinds(), ", "))
	}
	wrong := fmt.Errorf("it is no share over %s, which is written %s", kind, shareForms[kind])
	if !strings.HasPrefix(rest, "//") || strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return s, wrong
	}
	u, err := url.Parse(rest)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return s, wrong
	}
	if _, has := u.User.Password(); has {
		return s, errors.New("it has a password, and fabric files hold none; write USER@HOST alone, and login: env:NAME for the password")
	}
	s.User = u.User.Username()
	if kind == "smb" {
		if domain, user, ok := strings.Cut(s.User, ";"); ok {
			s.Domain, s.User = domain, user
		}
	}
	if s.Host = u.Hostname(); u.Port() != "" {
		if s.Port, err = strconv.Atoi(u.Port()); err != nil || s.Port < 1 || s.Port > 65535 {
			return s, fmt.Errorf("%s is no port from 1 to 65535", u.Port())
		}
	}
	folder := strings.Trim(u.Path, "/")
	if slices.Contains(strings.Split(folder, "/"), "..") {
		return s, errors.New("it has .. in its path; write where it leads")
	}
	if s.Folder = folder; kind == "smb" {
		s.Name, s.Folder, _ = strings.Cut(folder, "/")
	}
	if s.Host == "" || kind == "smb" && s.Name == "" || kind == "nfs" && s.Folder == "" {
		return s, wrong
	}
	return s, nil
}

// hostPort is the host as addresses have it.
func (s Share) hostPort() string {
	host := s.Host
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() {
		host = "[" + host + "]"
	}
	if s.Port > 0 {
		host += ":" + strconv.Itoa(s.Port)
	}
	return host
}

// At is the address of the share without user and folder: of smb //HOST/SHARE, of ftp and http the URL of the server's root, of nfs its host.
func (s Share) At() string {
	switch s.Kind {
	case "smb":
		return "//" + s.Host + "/" + s.Name
	case "nfs":
		return "nfs://" + s.hostPort()
	}
	return s.Scheme + "://" + s.hostPort()
}

// String is the share as a person reads it, without its user.
func (s Share) String() string {
	if s.Kind == "smb" {
		return strings.TrimSuffix("//"+s.hostPort()+"/"+s.Name+"/"+s.Folder, "/")
	}
	return strings.TrimSuffix(s.At()+"/"+s.Folder, "/")
}

// shares reads the shares of a drive or volume; those of other protocols are kept as they stand.
func (f *fields) shares() map[string]string {
	t := f.table("shares")
	if t == nil {
		return nil
	}
	for _, p := range f.get("shares").pairs {
		if kind := p.key.text; shareForms[kind] != "" && p.value.kind == scalar {
			if _, err := ParseShare(kind, t[kind]); err != nil {
				f.d.bad(p.value.at, f.subject, fmt.Sprintf("shares: %s: %s", kind, err), "", "")
			}
		}
	}
	return t
}
