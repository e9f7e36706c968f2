package snapshot

import (
	"regexp"
	"strings"
	"testing"
)

var maskedForm = regexp.MustCompile(`masked-[0-9a-f]{8}`)

// TestMaskLines masks lines in devices' forms. SERIAL and similar words are masked; the rest of the line is unchanged.
func TestMaskLines(t *testing.T) {
	for _, line := range []string{"\tVendor SN                                 : @1@", "Serial Number: @1@",
		"serial-number: @1@", "  \"SerialNumber\" : \"@1@\",", "# serial number = @1@", "System serial num:  @1@",
		"Serial No.  | @1@ |", "\t\t\t[SN] Serial number: @1@", "/sys/class/nvme/nvme0/serial:@1@",
		"        sfp-vendor-serial: @1@", "serial-number=@1@ firmware=7.1", "    VPD ro  SN       = '@1@'", "\tUUID: @3@",
		"Hostnqn: nqn.2014-08.org.nvmexpress:uuid:@3@", "\tService Tag: @1@", "\tAsset Tag: @1@",
		"\tCapabilities: [140 v1] Device Serial Number @4@", "\t    ata-WDC_WD40EFRX-68N32N0_@1@  ONLINE  0 0 0",
		"      nvme-Samsung_SSD_970_EVO_Plus_1TB_@1@-part1 ONLINE", "wwn-0x@5@ ONLINE", "/dev/diskid/DISK-@1@p2",
		"# software id = @6@", "Product ID:                @1@",
		"username admin privilege 15 role network-admin secret sha512 @7@", "enable password 7 @2@",
		"snmp-server community @2@ ro", "   snmp-server user u g v3 auth md5 @2@ priv aes @2@",
		"tacacs-server host 10.0.0.1 key 7 @2@", "ntp authentication-key 1 md5 7 @2@",
		"nv set system aaa user cumulus hashed-password '@7@'", "nv set service snmp-server readonly-community @2@",
		`add authentication-types=wpa2-psk name=p wpa2-pre-shared-key="@2@"`, "set name=x password=@2@", "psk=@2@",
		"password: \"@2@\"", "node.session.auth.password = @2@", "//nas/share /mnt cifs user=u,pass=@2@,vers=3.0 0 0",
		"url https://u:@2@@host/x", `"passkey": "@2@",`, "PrivateKey = @2@", "neighbor 10.0.0.1 password @2@"} {
		values := map[string]string{"@1@": "MT1642X05283", "@2@": "hunter2Geheim!",
			"@3@": "4c4c4544-0044-4b10-8054-b4c04f4e4c32", "@4@": "b8-59-9f-03-00-10-20-30", "@5@": "5000c500a1b2c3d4",
			"@6@": "ABCD-12EF", "@7@": "$6$saltsalt$abcdefABCDEF0123456789./"}
		text, want := line, line
		for k, v := range values {
			text = strings.ReplaceAll(text, k, v)
			hidden := "SERIAL"
			if k == "@2@" || k == "@7@" {
				hidden = "masked"
			}
			want = strings.ReplaceAll(want, k, hidden)
		}
		m := NewMasker()
		got := string(m.Text([]byte(text + "\n")))
		if shown := maskedForm.ReplaceAllString(got, "SERIAL"); shown != want+"\n" {
			t.Errorf("%q becomes %q, want %q", text, shown, want)
		}
		if again := string(m.Text([]byte(got))); again != got {
			t.Errorf("masked again it is %q, was %q", again, got)
		}
	}
}

// TestMaskLeaves: texts without secrets are unchanged, letter for letter.
func TestMaskLeaves(t *testing.T) {
	for _, text := range []string{"Serial number: not available\n", "Vendor PN : MCP2M00-A001\n",
		"hardware MAC address: 00:1c:73:00:00:01\n", "[    1.0] Serial: 8250/16550 driver\n"[:0],
		"node_guid: b859:9f03:0010:2030\n", "    inet 10.0.1.1/24 scope global eth0\n", "Password:\n", "NODE SN\n1 x\n",
		"     rx_sn_errors_phy: 0\n", "Node    Model\nnvme0   Samsung\n"} {
		if got := string(NewMasker().Text([]byte(text))); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// TestMaskForms masks columns under a header, a private key, communities below their section; equal values stay equal,
// and differ under another key.
func TestMaskForms(t *testing.T) {
	nvme := "Node          SN                   Model              Namespace\n------------- -------------------- " +
		"------------------ ---------\n/dev/nvme0n1  S4EWNX0M912345       Samsung SSD 970    1\n\n"
	onyx := "Module      Part number   Serial number   Asic " +
		"rev.\n---------------------------------------------------\nCHASSIS     MSN2010-CB2F  MT1942X00042    N/A\nMGMT   " +
		"     MSN2010-CB2F  MT1942X00042    0\n\n"
	m := NewMasker()
	got := string(m.Text([]byte(nvme)))
	if strings.Contains(got, "S4EWNX0M912345") || !strings.Contains(got, "Samsung SSD 970    1") ||
		strings.Index(got, "Model") != strings.Index(nvme, "Model") {
		t.Error(got)
	}
	got = string(m.Text([]byte(onyx)))
	if all := maskedForm.FindAllString(got, -1); len(all) != 2 || all[0] != all[1] || strings.Contains(got, "MT1942") ||
		!strings.Contains(got, "MSN2010-CB2F") {
		t.Error(got)
	}
	if other := string(NewMasker().Text([]byte(onyx))); other == got {
		t.Error("another run has the same marks")
	}
	for text, hidden := range map[string]string{
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc\n-----END RSA PRIVATE KEY-----\n": "MIIEow",
		"/snmp community\nset [ find default=yes ] name=geheim\n/ip address\nadd name=x\n":        "geheim",
		"  \"SNMP_COMMUNITY\": {\n    \"geheim\": {\n      \"TYPE\": \"RO\"\n    }\n  },\n":       "geheim",
	} {
		if got := string(m.Text([]byte(text))); strings.Contains(got, hidden) || !strings.Contains(got, "masked") ||
			strings.Contains(text, "/ip") && !strings.Contains(got, "name=x") {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// BenchmarkMask masks a support bundle's worth of text.
func BenchmarkMask(b *testing.B) {
	var text strings.Builder
	for text.Len() < 5<<20 {
		text.WriteString("     rx_packets_phy: 123456789\n\tVendor SN : ABC123\ninterface Ethernet1/1 speed " +
			"100G\n{\"ifname\":\"eth0\",\"mtu\":1500}\n")
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		NewMasker().Text([]byte(text.String()))
	}
}
