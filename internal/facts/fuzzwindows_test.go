package facts

import (
	"os"
	"testing"
)

// seedWindows gives a target all fixtures of Windows, and pieces of them.
func seedWindows(f *testing.F) {
	for _, name := range []string{"windows.txtar", "windows.script.txtar"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range parseArchive(text).Files {
			f.Add(file.Data)
			f.Add(file.Data[:len(file.Data)*2/3])
		}
	}
	f.Add([]byte("TCP IPv4\n\n a = 1\n b = 2\n c = 3\n d = 4\n e = 5\n f = 6\n g = 7\n h = 8\n"))
	f.Add([]byte("Name : a\nSriovSupport : 3\nNumVFs : 8\nEnabled : True\n\nName : a\nFunctionID : 1\nCurrentMacAddress : 00-15-5D-C8-20-07\n"))
	f.Add([]byte("Name : a\nName\n----\nb\n"))
	f.Add([]byte(`{"Name":"a","b":{"c":[{"d":1}]}}`))
}

func FuzzPowerShell(f *testing.F) {
	seedWindows(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		v := new(Facts)
		for _, read := range []func(*Facts, []string, []byte) error{readPS(""), readPS("Get-NetAdapter"), readNetshGlobal, readPowerPlan, readNetstatWindows} {
			_ = read(v, nil, text)
		}
		settle(v)
		for _, n := range v.NICs {
			if n.Name == "" || n.MTU < 0 || n.Queues.Or(1) < 1 || n.Speed.IsKnown() && n.Speed.Or(0) <= 0 {
				t.Fatalf("%+v", n)
			}
		}
		for _, d := range v.PCI {
			if w, ok := d.Width.Get(); ok && (w < 1 || w > 32) {
				t.Fatalf("%+v", d)
			}
		}
	})
}

func FuzzWindowsScript(f *testing.F) {
	seedWindows(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		v := new(Facts)
		_ = readWindowsScript(v, nil, text)
		settle(v)
	})
}

func FuzzQosScript(f *testing.F) {
	if text, err := os.ReadFile("../config/windows/testdata/roce-100g-pc/apply.ps1"); err == nil {
		f.Add(string(text))
	}
	f.Add("New-NetQosTrafficClass 'a' -Priority 3,@(4) -Bandwidth:60 | X { Enable-NetQosFlowControl 3 }")
	f.Fuzz(func(t *testing.T, text string) {
		v := new(Facts)
		if readQosScript(v, nil, []byte(text)) == nil && v.Windows.Policy.Asked == nil {
			t.Fatal("no classes")
		}
		settle(v)
	})
}
