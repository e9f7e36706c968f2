package runfolder

import (
	"fmt"
	"strings"
)

// checkSchema accepts "linerate/KIND/1" with any minor number. Its error says what to do about a higher major number.
func checkSchema(schema, known string) error {
	kind := known[:strings.LastIndexByte(known, '/')+1]
	rest, ok := strings.CutPrefix(schema, kind)
	var major int
	if ok {
		number, _, _ := strings.Cut(rest, ".")
		if _, err := fmt.Sscanf(number+"\n", "%d\n", &major); err != nil || major < 1 {
			ok = false
		}
	}
	switch {
	case !ok:
		return fmt.Errorf("schema %.60q is not %s", schema, known)
	case major > 1:
		return fmt.Errorf("schema %s is of a newer linerate; this one reads up to %s: update linerate to read it", schema,
			known)
	}
	return nil
}
