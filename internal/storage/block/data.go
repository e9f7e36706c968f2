package block

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// chunk is the smallest sector. Each has a header of its own in verify mode, and a stamp otherwise.
const chunk = 512

// header of a chunk, little endian: magic 4, CRC-32C of the rest of the chunk 4, offset 8, seed 8, generation 4, and
// 4 of zeros.
const (
	headerSize = 32
	magic      = 0x4b424c4c // "LLBK"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Kinds of a wrong block: what it holds instead of the expected data.
const (
	WrongZeros      = "zeros"
	WrongOffset     = "another-offset"
	WrongGeneration = "another-generation" // usually older: a write was lost
	WrongSeed       = "another-seed"       // of another job
	WrongSpoiled    = "spoiled"            // the right block with changed bits
	WrongElse       = "something-else"
)

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014): a bijection on 64 bits in which every bit of the
// argument affects the result.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

const golden = 0x9e3779b97f4a7c15

// noise fills b with incompressible data that key determines: xorshift64*-like steps of 8 bytes.
func noise(b []byte, key uint64) {
	x := mix(key+golden) | 1
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x ^= x >> 12
		x ^= x << 25
		x ^= x >> 27
		binary.LittleEndian.PutUint64(b[i:], x*0x2545f4914f6cdd1d)
	}
	for ; i < len(b); i++ {
		b[i] = byte(mix(x + uint64(i)))
	}
}

// data makes and checks the contents of blocks.
type data struct {
	seed  uint64
	full  int // bytes at the beginning of a block that are incompressible
	check bool
}

func newData(j Job) data {
	full := int(float64(j.Size)*(1-j.Compressible)+0.5) / chunk * chunk
	if j.Compressible < 1 && full == 0 {
		full = chunk
	}
	return data{seed: j.Seed, full: full, check: j.Verify}
}

// prepare fills a slot's buffer once. In verify mode each write fills it again.
func (d data) prepare(b []byte, slot uint64) {
	clear(b)
	noise(b[:min(d.full, len(b))], d.seed^mix(slot+1))
}

// fill makes whole chunks of data in b for the generation-th write at offset. Without verify only a stamp in every
// chunk changes, so that a drive that deduplicates finds no two equal chunks.
func (d data) fill(b []byte, offset int64, generation uint32) {
	if d.check {
		for i := 0; i < len(b); i += chunk {
			d.chunk(b[i:i+chunk], offset+int64(i), generation, i < d.full)
		}
		return
	}
	key := mix(uint64(offset)^d.seed) ^ uint64(generation)<<32
	for i := 0; i < d.full && i < len(b); i += chunk {
		x := mix(key + uint64(i))
		binary.LittleEndian.PutUint64(b[i:], x)
		binary.LittleEndian.PutUint64(b[i+chunk/2:], x*golden)
	}
}

func (d data) chunk(b []byte, offset int64, generation uint32, full bool) {
	_ = b[chunk-1]
	if full {
		noise(b[headerSize:chunk], d.seed^mix(uint64(offset)+uint64(generation)<<40))
	} else {
		clear(b[headerSize:chunk])
	}
	binary.LittleEndian.PutUint32(b, magic)
	binary.LittleEndian.PutUint64(b[8:], uint64(offset))
	binary.LittleEndian.PutUint64(b[16:], d.seed)
	binary.LittleEndian.PutUint64(b[24:], uint64(generation))
	binary.LittleEndian.PutUint32(b[4:], crc32.Checksum(b[8:chunk], castagnoli))
}

// wrong describes one chunk that is not what was written.
type wrong struct {
	at   int64 // offset
	kind string
	text string
}

// verify compares a block that was read at offset with the expected generation; anyGeneration allows all.
func (d data) verify(b []byte, offset int64, generation uint32, anyGeneration bool) (got uint32, w *wrong) {
	for i := 0; i < len(b); i += chunk {
		g, w := d.verifyChunk(b[i:i+chunk], offset+int64(i), generation, anyGeneration, i < d.full)
		if w != nil {
			return 0, w
		}
		// The first chunk sets the generation of the others: a block that was only partly written is wrong.
		generation, anyGeneration = g, false
	}
	return generation, nil
}

func (d data) verifyChunk(b []byte, offset int64, generation uint32, anyGeneration, full bool) (uint32, *wrong) {
	sum := binary.LittleEndian.Uint32(b[4:])
	at, seed := int64(binary.LittleEndian.Uint64(b[8:])), binary.LittleEndian.Uint64(b[16:])
	got := uint32(binary.LittleEndian.Uint64(b[24:]))
	whole := binary.LittleEndian.Uint32(b) == magic && sum == crc32.Checksum(b[8:chunk], castagnoli)
	switch {
	case whole && at == offset && seed == d.seed && (anyGeneration || got == generation):
		return got, nil
	case whole && seed != d.seed:
		return 0, &wrong{offset, WrongSeed,
			fmt.Sprintf("data of another job (seed %d, this one's is %d), of its offset %d", seed, d.seed, at)}
	case whole && at != offset:
		return 0, &wrong{offset, WrongOffset, fmt.Sprintf("the data of offset %d (generation %d)", at, got)}
	case whole:
		word := "an older generation"
		if got > generation {
			word = "a generation that was not to be there"
		}
		return 0, &wrong{offset, WrongGeneration, fmt.Sprintf("%s of it: %d, %d was to be there", word, got, generation)}
	}
	zeros := true
	for _, c := range b {
		if c != 0 {
			zeros = false
			break
		}
	}
	if zeros {
		return 0, &wrong{offset, WrongZeros, "zeros"}
	}
	if anyGeneration {
		generation = got
	}
	var want [chunk]byte
	d.chunk(want[:], offset, generation, full)
	first, bytes, ones := -1, 0, 0
	for i, c := range b {
		if x := c ^ want[i]; x != 0 {
			if first < 0 {
				first = i
			}
			bytes, ones = bytes+1, ones+bits.OnesCount8(x)
		}
	}
	if bytes <= chunk/4 {
		return 0, &wrong{
			offset,
			WrongSpoiled,
			fmt.Sprintf("what was written, with %d bits changed in %d bytes, the first of them at offset %d", ones, bytes,
				offset+int64(first)),
		}
	}
	return 0, &wrong{offset, WrongElse, fmt.Sprintf("something else, which begins with % x", b[:16])}
}

// ledger has the generation of each block of the span, in four bytes a block. A block belongs to one thread, so no
// thread waits for another.
type ledger struct{ of []uint32 }

const (
	ledgerUnknown = 0         // contents unknown
	ledgerDirty   = 1 << 31   // written, and not read since
	ledgerFailed  = 1 << 30   // the last write failed: either generation may be there
	ledgerMask    = 1<<30 - 1 //
	laidOut       = uint32(1) // generation of the data that Prepare lays out
	maxLedger     = int64(512 << 20 / 4)
)
