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

	"linerate/internal/base/diag"
)

// Share is an export of a server that the user runs.
type Share struct {
	Kind         string // smb, ftp, http, nfs
	Scheme       string // of ftp and http: ftp, ftps, http, https
	Domain, User string // empty: left to the tool
	Host         string
	Port         int    // 0: the protocol's default
	Name         string // of smb: the share
	Folder       string // below it, without slashes around it; of nfs the whole path
}

// shareForms has the form of the address of each kind of share.
var errSharePassword = errors.New("it has a password, and fabric files have none; write USER@HOST alone, and " +
	"login: env:NAME for the password")

var shareForms = map[string]string{"smb": "//[USER@]HOST[:PORT]/SHARE[/FOLDER]",
	"ftp": "ftp://[USER@]HOST[:PORT]/[FOLDER]", "http": "http://[USER@]HOST[:PORT]/[FOLDER]",
	"nfs": "nfs://HOST[:PORT]/FOLDER or HOST:/FOLDER"}

// ShareKinds returns the protocols that copy supports.
func ShareKinds() []string { return slices.Sorted(maps.Keys(shareForms)) }

// ParseShare reads the address of a share of one of ShareKinds: the parts of RFC 3986 without query and fragment; for
// smb also in Windows' form (\\HOST\SHARE), and with DOMAIN;USER@ before the host. Errors never show a password.
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
		return s, fmt.Errorf("%.40q is not a protocol whose shares are known; %s are", kind, strings.Join(ShareKinds(), ", "))
	}
	wrong := fmt.Errorf("it does not have the form of a share; write %s", shareForms[kind])
	if !strings.HasPrefix(rest, "//") || strings.ContainsFunc(rest, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return s, wrong
	}
	u, err := url.Parse(rest)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return s, wrong
	}
	if _, has := u.User.Password(); has {
		return s, errSharePassword
	}
	s.User = u.User.Username()
	if kind == "smb" {
		if domain, user, ok := strings.Cut(s.User, ";"); ok {
			s.Domain, s.User = domain, user
		}
	}
	if s.Host = u.Hostname(); u.Port() != "" {
		if s.Port, err = strconv.Atoi(u.Port()); err != nil || s.Port < 1 || s.Port > 65535 {
			return s, fmt.Errorf("%s is not a port from 1 to 65535", u.Port())
		}
	}
	folder := strings.Trim(u.Path, "/")
	if slices.Contains(strings.Split(folder, "/"), "..") {
		return s, errors.New("it has .. in its path; omit .. from the path")
	}
	if s.Folder = folder; kind == "smb" {
		s.Name, s.Folder, _ = strings.Cut(folder, "/")
	}
	if s.Host == "" || kind == "smb" && s.Name == "" || kind == "nfs" && s.Folder == "" {
		return s, wrong
	}
	return s, nil
}

// hostPort returns the host as in addresses.
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

// At returns the address of the share without user and folder: for smb //HOST/SHARE, for ftp and http the URL of the
// server's root, for nfs its host.
func (s Share) At() string {
	switch s.Kind {
	case "smb":
		return "//" + s.Host + "/" + s.Name
	case "nfs":
		return "nfs://" + s.hostPort()
	}
	return s.Scheme + "://" + s.hostPort()
}

// String returns the share for printing, without its user.
func (s Share) String() string {
	if s.Kind == "smb" {
		return strings.TrimSuffix("//"+s.hostPort()+"/"+s.Name+"/"+s.Folder, "/")
	}
	return strings.TrimSuffix(s.At()+"/"+s.Folder, "/")
}

// shares reads the shares of a drive or volume. Those of unknown protocols stay as they are.
func (f *fields) shares() map[string]string {
	t := f.table("shares")
	if t == nil {
		return nil
	}
	for _, p := range f.get("shares").pairs {
		if kind := p.key.text; shareForms[kind] != "" && p.value.kind == scalar {
			if _, err := ParseShare(kind, t[kind]); err != nil {
				message, fix, _ := strings.Cut(err.Error(), "; ")
				if rest, ok := strings.CutPrefix(message, "it "); ok {
					message = fmt.Sprintf("the %s share %s", kind, rest)
				}
				id := diag.ValueUnit
				if errors.Is(err, errSharePassword) {
					id = diag.SecretInFile
				}
				f.d.bad(id, p.value.at, f.subject, message, "", fix)
			}
		}
	}
	return t
}
