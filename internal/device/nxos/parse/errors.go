package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

// errorsLooks matches the first header of "show interface counters errors": IOS has the same words without the dashes
// above.
const errorsLooks = `(?m)^-{40,}[ \t]*\r?\n[ \t]*Port[ \t]+Align-Err[ \t]+FCS-Err[ \t]+Xmit-Err[ \t]+Rcv-Err`

var errorsForm = lazyregexp.New(errorsLooks)

// errorColumns are the columns to keep, by the names of "show interface".
var errorColumns = map[string]string{"Align-Err": "CRC", "FCS-Err": "CRC", "OutDiscards": "output discard"}

// readErrors reads "show interface counters errors": tables one below the other, in which a row is a port with a count
// for each column, or -- where it has no such counter. It ignores rows with another number of columns.
func readErrors(f *parse.Builder, _ []string, text []byte) error {
	if !errorsForm.Match(text) {
		return parse.ToolError(text)
	}
	var head, ports []string
	of := map[string]*counted{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "Port":
			head = words
			continue
		case head == nil || len(words) != len(head) || !portForm.MatchString(words[0]):
			continue
		}
		name := port(f, words[0]).Name
		if of[name] == nil {
			of[name], ports = newCounted(name), append(ports, name)
		}
		for i, w := range words[1:] {
			as := errorColumns[head[i+1]]
			if v, err := strconv.ParseUint(w, 10, 62); err == nil && as != "" && v > 0 {
				of[name].set(as, of[name].value[as]+v, line)
			}
		}
	}
	for _, name := range ports {
		of[name].keep(f)
	}
	return nil
}

var portForm = lazyregexp.New(`^` + portNames + `$`)
