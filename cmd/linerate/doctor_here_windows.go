package main

// mayWrite is taken to be so: Windows says it only to who tries.
func mayWrite(string) bool { return true }
