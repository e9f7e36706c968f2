package read

import (
	"os"
	"testing"

	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// seedWindows gives a target all fixtures of Windows, and pieces of them.
func seedWindows(f *testing.F) {
	for _, name := range []string{"windows.txtar", "windows.script.txtar"} {
		text := testenv.Must(os.ReadFile("testdata/" + name))(f)
		for _, file := range snapshot.ParseArchive(text).Files {
			f.Add(file.Data)
			f.Add(file.Data[:len(file.Data)*2/3])
		}
	}
	f.Add([]byte("TCP IPv4\n\n a = 1\n b = 2\n c = 3\n d = 4\n e = 5\n f = 6\n g = 7\n h = 8\n"))
	f.Add([]byte("Name : a\nSriovSupport : 3\nNumVFs : 8\nEnabled : True\n\nName : a\nFunctionID : " +
		"1\nCurrentMacAddress : 00-15-5D-C8-20-07\n"))
	f.Add([]byte("Name : a\nName\n----\nb\n"))
	f.Add([]byte(`{"Name":"a","b":{"c":[{"d":1}]}}`))
}
