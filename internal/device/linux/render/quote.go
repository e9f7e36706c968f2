package render

import (
	"strings"

	"linerate/internal/device"
	"linerate/internal/device/config"
)

// plain refuses characters that no line-based file can have.
func plain(s, language string) error {
	if config.Plain(s) != s {
		return &config.Refused{Text: s, Language: language, Why: "it has a line break or a character that is not seen"}
	}
	return nil
}

// iniValue quotes a value for systemd's files: a % begins a specifier, a backslash at the end joins lines, spaces at
// the ends are cut, and quotes are kept (systemd.syntax(7), systemd.unit(5)).
func iniValue(s string) (string, error) {
	const language = "a file of systemd"
	if err := plain(s, language); err != nil {
		return "", err
	}
	if strings.TrimSpace(s) != s || s == "" || strings.HasSuffix(s, `\`) {
		return "", &config.Refused{Text: s, Language: language,
			Why: "a value is not empty and has no space at its ends and no backslash at its end"}
	}
	return strings.ReplaceAll(s, "%", "%%"), nil
}

// yamlString quotes a string with double quotes, in which only the quote and the backslash are special (YAML 1.2,
// 7.3.1).
func yamlString(s string) (string, error) {
	if err := plain(s, "YAML"); err != nil {
		return "", err
	}
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`, nil
}

// keyfileValue quotes a value for NetworkManager's keyfiles, which are GLib's: a backslash begins an escape, and a
// leading space has its own escape (GKeyFile, nm-settings-keyfile(5)).
func keyfileValue(s string) (string, error) {
	const language = "a keyfile of NetworkManager"
	if err := plain(s, language); err != nil {
		return "", err
	}
	if strings.TrimSpace(s) != s || s == "" {
		return "", &config.Refused{Text: s, Language: language, Why: "a value is not empty and has no space at its ends"}
	}
	return strings.ReplaceAll(s, `\`, `\\`), nil
}

// interfacesWord returns a word of interfaces(5), which has no quotes: it refuses texts that need them.
func interfacesWord(s string) (string, error) {
	if !device.BareWord(s) {
		return "", &config.Refused{Text: s, Language: "interfaces(5)", Why: "a word has no spaces and quotes there"}
	}
	return s, nil
}
