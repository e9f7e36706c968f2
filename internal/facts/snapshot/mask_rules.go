package snapshot

import (
	"bytes"
	"slices"

	"linerate/internal/base/lazyregexp"
)

// maskRule is a form of a line with a serial number or secret. The first group is masked.
type maskRule struct {
	what   string   // its description
	secret bool     // else a serial number
	words  []string // in lower case: a line without any of them is skipped
	Form   *lazyregexp.Regexp
}

func (r *maskRule) mentioned(lower []byte) bool {
	return slices.ContainsFunc(r.words, func(w string) bool { return bytes.Contains(lower, []byte(w)) })
}

func (r *maskRule) apply(m *Masker, line []byte) []byte {
	return replaceGroup(r.Form, line, func(value []byte) []byte {
		if r.secret {
			if bytes.Equal(value, []byte(masked)) {
				return nil
			}
			return []byte(masked)
		}
		if !isSerial(value) {
			return nil
		}
		return m.serial(value)
	})
}

// value is the text after a key: in quotes, or one word.
const value = `("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',;<>|{}\[\]]+)`

func serials(what, form string, words ...string) maskRule {
	return maskRule{what, false, words, lazyregexp.New(`(?i)` + form)}
}

func secrets(what, form string, words ...string) maskRule {
	return maskRule{what, true, words, lazyregexp.New(`(?i)` + form)}
}

// MaskRules is the table of everything that is masked in a single line. mask.go has forms over several lines: private
// keys, columns of tables, communities below their section. Each rule names the tools whose output has it; those
// without a snapshot among the fixtures are from the devices' manuals.
var MaskRules = []maskRule{
	// ethtool -m, lspci VPD, mlxlink, dmidecode, nvme id-ctrl, Get-PhysicalDisk, EOS, Onyx, SONiC and RouterOS
	serials("serial number", `serial[ _-]?(?:numbers?|num|no\.?|nr\.?)?["']?(?:\s*\([^)]*\))?\s*[:=|]\s*`+value, "serial"),
	serials("SN", `\b(?:vendor[ _-]?)?s/?n["']?\s*[:=|]\s*`+value, "sn", "s/n"),
	serials("lspci: Device Serial Number", `device serial number ([0-9a-f]{2}(?:-[0-9a-f]{2}){7})`,
		"device serial number"),
	serials("lspci: VPD", `\[v[0-9a-z]\] vendor specific: ([0-9a-z]{16,})`, "vendor specific"),
	serials("dmidecode, hostnqn: UUID", `\buuid["']?\s*[:=]\s*["']?([0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12})`,
		"uuid"),
	serials("service or asset tag", `(?:service|asset|chassis)[ _-]?tag["']?\s*[:=]\s*`+value, "tag"),
	serials("drives by id",
		`\b(?:ata|nvme|scsi|usb|mmc)-[a-z0-9_.+]+[a-z0-9_.+-]*_([a-z0-9-]{5,}?[a-z0-9])(?:-part\d+)?(?:[\s/,:;"']|$)`,
		"ata-", "nvme-", "scsi-", "usb-", "mmc-"),
	serials("drives by world-wide name", `\b(?:nvme-eui\.|eui\.|naa\.|wwn-0x|scsi-3|nvme-nvme\.)([0-9a-f]{12,})`, "eui.",
		"naa.", "wwn-", "scsi-3"),
	serials("FreeBSD: diskid", `diskid/disk-([a-z0-9%_.-]+?)(?:[ps]\d+)?(?:[\s,:;"']|$)`, "diskid/"),
	serials("FreeBSD: gptid", `gptid/([0-9a-f-]{36})`, "gptid/"),
	serials("RouterOS: software id", `software[- ]id\s*[:=]\s*"?([a-z0-9]{4}-[a-z0-9]{4})`, "software"),
	serials("Windows: product id and key", `product[ _]?(?:id|key)["']?\s*[:=]\s*`+value, "product"),

	secrets("hashes of passwords", `(\$(?:1|5|6|7|y|gy|2[abxy]|sha1|argon2id?)\$[^\s"',;]+)`, "$"),
	secrets("key = secret",
		`[\w.-]*(?:password|passwd|passphrase|passkey|secret|\bpsk|[-_.]psk|pre-?shared-?key|private-?key|wep-key\d?|auth-?key|api[-_]?key)[\w.-]*["']?\s*[:=]\s*`+value,
		"passw", "passphrase", "passkey", "secret", "psk", "sharedkey", "shared-key", "privatekey", "private-key",
		"wep-key", "authkey", "auth-key", "api"),
	secrets("key 5 secret",
		`\b(?:password|passwd|secret|key-string|passphrase)\s+(?:\d|sha512|sha256|md5|encrypted|plaintext|plain|clear)\s+(\S+)`,
		"password ", "passwd ", "secret ", "key-string ", "passphrase "),
	// Without a kind only at the end of a line: sentences in logs contain these words.
	secrets("key secret",
		`\b(?:password|passwd|secret|key-string|passphrase)\s+([^\s:=]+)(?:\s+(?:role|privilege|group)\s.*)?\s*$`,
		"password ", "passwd ", "secret ", "key-string ", "passphrase "),
	secrets("key 7 secret", `\bkey\s+(?:encrypted\s+)?[07]\s+(\S+)`, "key"),
	secrets("keys of servers", `\b(?:tacacs|radius|ldap)\S*\s.*\bkey\s+(?:\d\s+)?([^\s:=]\S*)`, "tacacs", "radius",
		"ldap"),
	secrets("keys of routing and time",
		`(?:authentication-key|message-digest-key|trusted-key)\s+\d+\s+\w+\s+(?:\d\s+)?(\S+)`, "-key"),
	secrets("SNMP community", `(?:snmp-server|snmp)\s+community\s+(?:\d\s+)?([^\s:=]\S*)`, "community"),
	secrets("SNMP community", `(?:read(?:only|write)|ro|rw)-community\s*:?\s+`+value, "community"),
	secrets("SNMP community", `community(?:[ _-]?(?:string|name))?["']?\s*[:=]\s*`+value, "community"),
	secrets("SNMP version 3", `snmp.*\b(?:auth|auth-hash)\s+(?:md5|sha\S*)\s+(\S+)`, "snmp"),
	secrets("SNMP version 3", `snmp.*\b(?:priv|privacy)\s+(?:des|3des|aes\S*)\s+(\S+)`, "snmp"),
	secrets("options of a mount", `[,\s]pass=([^,\s]+)`, "pass="),
	secrets("a secret in an address", `://[^/\s:@]+:([^@/\s]+)@`, "://"),
}
