package run

// fio with --output-format=json, or its text. What it reads and writes is the user's.
func fio() program {
	return program{name: "fio", binary: "fio", pack: "fio", read: toolRate("fio")}
}
