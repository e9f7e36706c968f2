package runfolder

import (
	"crypto/rand"
	"math/big"
)

// letters returns four letters without vowels, so that they do not form a word. There are 160 thousand combinations..
func letters() string {
	const from = "bcdfghjkmnpqrstvwxyz"
	b := make([]byte, 4)
	for i := range b {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(from))))
		if err != nil { // does not happen since Go 1.24
			n = new(big.Int)
		}
		b[i] = from[n.Int64()]
	}
	return string(b)
}
