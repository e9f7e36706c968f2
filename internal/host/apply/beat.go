package apply

import "crypto/rand"

// beat is a word that no earlier beat was.
func beat() string { return rand.Text() }
