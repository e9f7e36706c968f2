// Package architecture holds the tests of the project as a whole: which package may import which, the drawing of the
// imports in ARCHITECTURE.md, one comment a package, the sizes of packages, the length of lines, the words of comments
// and names, and what a test may not depend on.
package architecture
