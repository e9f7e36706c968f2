// Package reporttest has runs, pictures of fabrics and readers of pages for the tests of reports. Only tests import it.
package reporttest
