package show

import (
	"strings"

	"linerate/internal/facts/parse"
)

// Source is a source of a data centre switch: a file that was saved by hand has the command's words in its name, and
// its text matches the pattern, unlike the output of this command on other systems.
func Source(os, name, looks string, read func(f *parse.Builder, args []string, text []byte) error) parse.Source {
	return parse.Source{Name: name, Read: read}.On(os).KeptAs(strings.NewReplacer("-", " ", " *", "").Replace(name), looks)
}

// SetProduct stores the switch's model and release.
func SetProduct(f *parse.Builder, vendor, product, release string) {
	parse.LearnText(&f.Machine.Vendor, vendor)
	parse.LearnText(&f.Machine.Product, product)
	if release != "" {
		f.Kernel = release
	}
}
