// Package tested makes docs/tested.md: how much the tests cover, as the last ./test.sh all --write found it. SQLite's
// page "How SQLite Is Tested" is the model. The package reads the results of the tests and renders the page; a test of
// the page only checks its form, so that the page may be older than the code.
package tested
