package block

import (
	"bytes"
	"compress/flate"
	"testing"
)

func compressed(t *testing.T, b []byte) float64 {
	t.Helper()
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, 9)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return float64(out.Len()) / float64(len(b))
}

// Data is incompressible, but for the configured share, and no two chunks are equal.
func TestData(t *testing.T) {
	for _, verify := range []bool{false, true} {
		for _, zeros := range []float64{0, 0.5, 1} {
			d := newData(Job{Size: 65536, Seed: 5, Compressible: zeros, Verify: verify})
			var all []byte
			b := make([]byte, 65536)
			d.prepare(b, 0)
			for i := range 8 {
				d.fill(b, int64(i)*65536, uint32(i/4))
				all = append(all, b...)
			}
			got, least, most := compressed(t, all), (1-zeros)*0.9, 1-zeros+0.12
			if !verify && zeros == 0 {
				least, most = 0.05, 1.01 // a slot's noise repeats behind the stamps, near enough for this compressor to match
			}
			if got < least || got > most {
				t.Errorf("verify %v, %v of it zeros: it compresses to %.2f", verify, zeros, got)
			}
			if zeros == 0 {
				if one := compressed(t, all[:65536]); one < 0.94 { // headers of verify mode are 32 of 512 bytes
					t.Errorf("verify %v: one block compresses to %.2f", verify, one)
				}
				seen := map[string]bool{}
				for i := 0; i < len(all); i += chunk {
					if s := string(all[i : i+chunk]); seen[s] {
						t.Fatalf("verify %v: chunk %d has been there before", verify, i/chunk)
					} else {
						seen[s] = true
					}
				}
			}
		}
	}
}

func TestVerifyFindsWhatIsThere(t *testing.T) {
	const size, offset = 4096, 8 * 4096
	d := newData(Job{Size: size, Seed: 9, Verify: true})
	made := func(d data, offset int64, generation uint32) []byte {
		b := make([]byte, size)
		d.fill(b, offset, generation)
		return b
	}
	flipped := made(d, offset, 3)
	flipped[1024+77] ^= 4
	header := made(d, offset, 3)
	header[512+9] ^= 1 // a byte of the offset
	torn := made(d, offset, 3)
	copy(torn[2048:], made(d, offset, 2)[2048:])
	lost := made(d, offset, 3)
	clear(lost[3584:])
	for name, c := range map[string]struct {
		b    []byte
		kind string
		at   int64
		says string
	}{
		"right":   {made(d, offset, 3), "", 0, ""},
		"shifted": {made(d, offset+4096, 3), WrongOffset, offset, "the data of offset 36864 (generation 3)"},
		"shifted by 512": {append(made(d, offset, 3)[512:], made(d, offset+4096, 3)[:512]...), WrongOffset, offset,
			"the data of offset 33280 (generation 3)"},
		"old":  {made(d, offset, 2), WrongGeneration, offset, "an older generation of it: 2, 3 was to be there"},
		"torn": {torn, WrongGeneration, offset + 2048, "an older generation of it: 2, 3 was to be there"},
		"another job's": {made(newData(Job{Size: size, Seed: 8, Verify: true}), offset, 3), WrongSeed, offset,
			"data of another job (seed 8, this one's is 9), of its offset 32768"},
		"zeros":        {make([]byte, size), WrongZeros, offset, "zeros"},
		"its last 512": {lost, WrongZeros, offset + 3584, "zeros"},
		"one bit": {flipped, WrongSpoiled, offset + 1024, "what was written, with 1 bits changed in 1 bytes, " +
			"the first of them at offset 33869"},
		"one bit of a head": {header, WrongSpoiled, offset + 512, "what was written, with 1 bits changed in 1 bytes, the " +
			"first of them at offset 33289"},
		"text": {bytes.Repeat([]byte("hello world, hel"), 256), WrongElse, offset, "something else, which " +
			"begins with 68 65 6c 6c 6f 20 77 6f 72 6c 64 2c 20 68 65 6c"},
	} {
		_, w := d.verify(c.b, offset, 3, false)
		if c.kind == "" {
			if w != nil {
				t.Errorf("%s: %+v", name, w)
			}
			continue
		}
		if w == nil || w.kind != c.kind || w.at != c.at || w.text != c.says {
			t.Errorf("%s: %+v, want %+v", name, w, c)
		}
	}
	if g, w := d.verify(made(d, offset, 7), offset, 0, true); w != nil || g != 7 {
		t.Errorf("any generation: %d, %+v", g, w)
	}
	if _, w := d.verify(torn, offset, 0, true); w == nil {
		t.Error("a torn block passes where any generation may be")
	}
}

func BenchmarkVerify4K(b *testing.B) {
	d := newData(Job{Size: 4096, Verify: true})
	buf := make([]byte, 4096)
	d.fill(buf, 0, 1)
	b.SetBytes(4096)
	for range b.N {
		if _, w := d.verify(buf, 0, 1, false); w != nil {
			b.Fatal(w)
		}
	}
}
