package linux

import (
	"strings"

	"linerate/internal/config/device"
)

// plain refuses what no file of lines can carry, in the words of the language.
func plain(s, language string) error {
	if device.Plain(s) != s {
		return &device.Refused{Text: s, Language: language, Why: "it has a line break or a character that is not seen"}
	}
	return nil
}

// iniValue writes a value of systemd's files: a % begins a specifier, a backslash at the end joins lines, spaces at the
// ends are cut, and quotes are kept as they stand (systemd.syntax(7), systemd.unit(5)).
func iniValue(s string) (string, error) {
	const language = "a file of systemd"
	if err := plain(s, language); err != nil {
		return "", err
	}
	if strings.TrimSpace(s) != s || s == "" || strings.HasSuffix(s, `\`) {
		return "", &device.Refused{Text: s, Language: language, Why: "a value is not empty and has no space at its ends and no backslash at its end"}
	}
	return strings.ReplaceAll(s, "%", "%%"), nil
}

// yamlString writes a string between double quotes, in which only the quote and the backslash have a meaning (YAML 1.2, 7.3.1).
func yamlString(s string) (string, error) {
	if err := plain(s, "YAML"); err != nil {
		return "", err
	}
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`, nil
}

// keyfileValue writes a value of NetworkManager's keyfiles, which are GLib's: a backslash begins an escape, and a space at the
// beginning has one of its own (GKeyFile, nm-settings-keyfile(5)).
func keyfileValue(s string) (string, error) {
	const language = "a keyfile of NetworkManager"
	if err := plain(s, language); err != nil {
		return "", err
	}
	if strings.TrimSpace(s) != s || s == "" {
		return "", &device.Refused{Text: s, Language: language, Why: "a value is not empty and has no space at its ends"}
	}
	return strings.ReplaceAll(s, `\`, `\\`), nil
}

// interfacesWord writes a word of interfaces(5), which knows no quotes: what it cannot carry is refused.
func interfacesWord(s string) (string, error) {
	if !device.Word(s) {
		return "", &device.Refused{Text: s, Language: "interfaces(5)", Why: "a word has no spaces and quotes there"}
	}
	return s, nil
}
