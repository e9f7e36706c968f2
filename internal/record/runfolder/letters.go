package runfolder

import (
	"crypto/rand"
	"math/big"
)

// letters returns four letters without vowels, so that no word comes out:
// 160 thousand, few enough to type.
func letters() string {
	const from = "bcdfghjkmnpqrstvwxyz"
	b := make([]byte, 4)
	for i := range b {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(from))))
		if err != nil { // since Go 1.24 the system's source cannot fail
			n = new(big.Int)
		}
		b[i] = from[n.Int64()]
	}
	return string(b)
}
