package render

import (
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"linerate/internal/device/config"
	"linerate/internal/device/configtest"
	"linerate/internal/device/linux"
	"linerate/internal/testenv"
)

// FuzzShellItself: a real shell reads a quoted text as the original.
func FuzzShellItself(f *testing.F) {
	for _, s := range configtest.Hostile {
		f.Add(s)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(f, "sh")
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted, err := config.Shell(s)
		if err != nil {
			return
		}
		out, err := exec.Command("sh", "-c", "printf '%s|' "+quoted+" end").Output()
		if err != nil || string(out) != s+"|end|" {
			t.Errorf("%q became %s, and a shell makes %q of it (%v)", s, quoted, out, err)
		}
	})
}

// FuzzYAML: a YAML parser reads a quoted text as the original.
func FuzzYAML(f *testing.F) {
	for _, s := range configtest.Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted, err := yamlString(s)
		if err != nil {
			return
		}
		var v map[string]map[string]string
		if err := yaml.Unmarshal([]byte("a:\n  "+quoted+": "+quoted+"\n  zz-end: here\n"), &v); err != nil ||
			v["a"][s] != s || v["a"]["zz-end"] != "here" {
			t.Errorf("%q became %s, which is read as %q (%v)", s, quoted, v, err)
		}
	})
}

// FuzzValues: values in the files of systemd and NetworkManager stay on their line, and are read back by the rules of
// their manuals.
func FuzzValues(f *testing.F) {
	for _, s := range configtest.Hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, err := iniValue(s); err == nil {
			if strings.ContainsAny(v, "\n\r") || strings.HasSuffix(v, `\`) || strings.TrimSpace(v) != v ||
				strings.ReplaceAll(v, "%%", "%") != s || strings.Contains(strings.ReplaceAll(v, "%%", ""), "%") {
				t.Errorf("systemd: %q became %q", s, v)
			}
		}
		if v, err := keyfileValue(s); err == nil {
			if strings.ContainsAny(v, "\n\r") || strings.TrimSpace(v) != v || unescaped(v) != s {
				t.Errorf("keyfile: %q became %q", s, v)
			}
		}
		if v, err := interfacesWord(s); err == nil && (v != s || strings.ContainsAny(v, " \t\n\\'\"#;$`")) {
			t.Errorf("interfaces: %q became %q", s, v)
		}
		if linux.UnfitInterface(s) == "" && (len(s) > 15 || strings.ContainsAny(s, " /:\t\n'\"$`;\\@|&*?[]{}()<>#!~%=")) {
			t.Errorf("%q is taken as an interface's name", s)
		}
	})
}

// unescaped reads a value as GKeyFile does (g_key_file_parse_value_as_string).
func unescaped(v string) string {
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			b.WriteByte(v[i])
			continue
		}
		i++
		switch v[i] {
		case 's':
			b.WriteByte(' ')
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		default:
			b.WriteByte(v[i])
		}
	}
	return b.String()
}
