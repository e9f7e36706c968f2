// Move moves Go files to another package of the module and rewrites everything that refers to their declarations.
// Where the result would not compile it writes nothing and prints the reason: an unexported name that the other
// package uses, a method apart from its type, a local name that hides the package's name.
//
//	go run -C tools ./move -from linerate/result -to linerate/internal/record types.go flow.go
//	go run -C tools ./move -packages FILE       whole folders: FILE has a line OLD NEW [NAME] for each
//	go run -C tools ./move -names FILE          other names for what is declared: a line FOLDER OLD NEW for each
//
// The files that move may not refer to declarations that stay.
package main

import (
	"flag"
	"fmt"
	"os"
)

// module is the path that import paths of the project begin with.
const module = "linerate/"

func main() {
	from := flag.String("from", "", "import path of the package that the files are in")
	to := flag.String("to", "", "import path of the package that they move to")
	root := flag.String("root", "..", "root of the module")
	force := flag.Bool("force", false, "write although something is left to mend by hand")
	systems := flag.String("systems", "linux",
		"systems whose files are read: linux,windows,freebsd,darwin before a change is complete")
	folders := flag.String("packages", "", "file that names whole folders to move")
	renames := flag.String("names", "", "file that gives names that are declared, and variables, other names")
	flag.Parse()
	s, err := newSource(*root, *systems)
	switch {
	case err != nil:
	case *folders != "":
		err = movePackages(s, *folders, *force)
	case *renames != "":
		err = rename(s, *renames, *force)
	default:
		err = moveFiles(s, *from, *to, flag.Args(), *force)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
