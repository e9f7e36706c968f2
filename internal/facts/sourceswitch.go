package facts

import "strings"

// answer is a source of a switch of data centres: a file of it that was kept by hand has the command's words in its name, and its text
// looks like the pattern, which no other system's answer to that command does.
func answer(os, name, looks string, read func(f *Facts, args []string, text []byte) error) source {
	return source{name: name, read: read}.on(os).keptAs(strings.NewReplacer("-", " ", " *", "").Replace(name), looks)
}

// isProduct keeps which switch it is, and its release.
func (f *Facts) isProduct(vendor, product, release string) {
	learnText(&f.Machine.Vendor, vendor)
	learnText(&f.Machine.Product, product)
	if release != "" {
		f.Kernel = release
	}
}
