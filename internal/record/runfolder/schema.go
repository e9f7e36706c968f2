package runfolder

import (
	"errors"
	"fmt"
	"strings"
)

// errOlder is the error of checkSchema for a record of an older form, which is not read.
var errOlder = errors.New("an older linerate wrote it")

// checkSchema accepts the known schema with any minor number, "linerate/KIND/2.7". Its error for a higher major number
// says what to do; for a lower one it is errOlder, see writtenBefore.
func checkSchema(schema, known string) error {
	kind, want := major(known)
	of, number := major(schema)
	switch {
	case number < 1 || of != kind:
		return fmt.Errorf("schema %.60q is not %s", schema, known)
	case number > want:
		return fmt.Errorf("schema %s is of a newer linerate; this one reads up to %s: update linerate to read it", schema,
			known)
	case number < want:
		return errOlder
	}
	return nil
}

// major splits a schema before its major number, which is 0 if there is none.
func major(schema string) (kind string, number int) {
	i := strings.LastIndexByte(schema, '/') + 1
	whole, _, _ := strings.Cut(schema[i:], ".")
	if _, err := fmt.Sscanf(whole+"\n", "%d\n", &number); err != nil {
		return schema[:i], 0
	}
	return schema[:i], number
}

// writtenBefore is the error for a record of an older form. version is that of the linerate that wrote it, as recorded.
func writtenBefore(version string) error {
	reader := "linerate " + version
	if version == "" || version == "source" { // built from no release
		reader = "the linerate that wrote it"
	}
	return fmt.Errorf("the run was written by an older linerate; %s reads it", reader)
}
