package facts

import "testing"

func TestMachine(t *testing.T) {
	for _, c := range []struct{ name, text, vendor, product, board string }{
		{"a server", "/sys/class/dmi/id/sys_vendor:Supermicro\n/sys/class/dmi/id/product_name:X10SRi-F\n/sys/class/dmi/id/board_vendor:Supermicro\n/sys/class/dmi/id/board_name:X10SRi-F\n",
			"Supermicro", "X10SRi-F", "Supermicro X10SRi-F"},
		{"nobody filled it in", "/sys/class/dmi/id/sys_vendor:To Be Filled By O.E.M.\n/sys/class/dmi/id/product_name:System Product Name\n/sys/class/dmi/id/board_vendor:ASUSTeK COMPUTER INC.\n/sys/class/dmi/id/board_name:ROG STRIX B450-F\n",
			"?", "?", "ASUSTeK COMPUTER INC. ROG STRIX B450-F"},
		{"a vendor alone", "/sys/class/dmi/id/sys_vendor:QEMU\n/sys/class/dmi/id/board_vendor:\n", "QEMU", "?", "?"},
	} {
		f, err := Parse([]byte("os linux\n-- grep -r . /sys/class/dmi/id --\n" + c.text))
		if err != nil || len(f.Unknown) > 0 {
			t.Fatal(c.name, err, f.Unknown)
		}
		m := f.Machine
		if m.Vendor.Or("?") != c.vendor || m.Product.Or("?") != c.product || m.Board.Or("?") != c.board {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
	f, err := Parse([]byte("os linux\nunknown grep -r . /sys/class/dmi/id: it is not there\n-- proc/device-tree/model --\nRaspberry Pi 4 Model B Rev 1.1\n"))
	if err != nil || f.Machine.Vendor.Why() != "it is not there" || f.Machine.Product.Or("") != "Raspberry Pi 4 Model B Rev 1.1" {
		t.Errorf("%v %+v", err, f.Machine)
	}
}

func TestNodes(t *testing.T) {
	for text, want := range map[string]int{"0\n": 1, "0-1": 2, "0,2-3\n": 3} {
		if n, err := parseNodes([]byte(text)); err != nil || n != want {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	for _, text := range []string{"", "a", "1-0", "-1", "0-99999999999", "0,"} {
		if n, err := parseNodes([]byte(text)); err == nil {
			t.Errorf("%q: %d", text, n)
		}
	}
}

func FuzzNodes(f *testing.F) {
	fuzz(f, "sys/devices/system/node/online", parseNodes, nil)
}

func FuzzBoard(f *testing.F) {
	f.Add([]byte("/sys/class/dmi/id/sys_vendor:Supermicro\n"))
	fuzz(f, "grep -r . /sys/class/dmi/id", func(text []byte) (Machine, error) {
		var got Facts
		err := readBoard(&got, nil, text)
		return got.Machine, err
	}, nil)
}
