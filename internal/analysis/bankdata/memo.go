package bankdata

import (
	"encoding/binary"
	"math/bits"
)

// memo keeps the judgements of descriptors by their normalised words, so that
// words that come again are not judged again: most descriptors differ from others
// in numbers and codes only. Nothing is ever taken out of it.
type memo struct {
	slots []memoSlot // open addressing; a power of two, empty at first
	kept  []judged
	words []byte // of all that are kept
}

type memoSlot struct {
	hash   uint32
	number int32 // in kept, from 1; 0: empty
}

// judged is what the words of a transaction say, whichever way its money goes.
type judged struct {
	from, to         int32 // memo.words
	named, described int32 // as in reader
	credit, debit    Verdict
	party            int32
}

const (
	// maxMemo bounds how many texts are kept, so that the table stays in the
	// processor's cache.
	maxMemo = 4096
	// maxProbes bounds a search, so that no choice of texts makes it long.
	maxProbes = 16
)

// find returns the judgement of the words that r has read, if it is kept.
func (m *memo) find(r *reader, hash uint32) (j judged, known bool) {
	if len(m.slots) == 0 {
		return j, false
	}
	mask := uint32(len(m.slots) - 1)
	for i := range uint32(maxProbes) {
		s := m.slots[(hash+i)&mask]
		if s.number == 0 {
			break
		}
		if s.hash == hash {
			k := &m.kept[s.number-1]
			if int(k.named) == r.named && int(k.described) == r.described && string(m.words[k.from:k.to]) == string(r.text.buf) {
				return *k, true
			}
		}
	}
	return j, false
}

// keep keeps the judgement of the words that r has read, while there is room.
func (m *memo) keep(r *reader, hash uint32, j judged) {
	if len(m.kept) == maxMemo {
		return
	}
	if 2*len(m.kept) >= len(m.slots) {
		m.grow()
	}
	j.named, j.described, j.from = int32(r.named), int32(r.described), int32(len(m.words))
	m.words = append(m.words, r.text.buf...)
	j.to = int32(len(m.words))
	m.kept = append(m.kept, j)
	m.put(memoSlot{hash, int32(len(m.kept))})
}

// put takes the first free slot; without one in reach, the judgement is not found
// again.
func (m *memo) put(s memoSlot) {
	mask := uint32(len(m.slots) - 1)
	for i := range uint32(maxProbes) {
		if free := &m.slots[(s.hash+i)&mask]; free.number == 0 {
			*free = s
			return
		}
	}
}

func (m *memo) grow() {
	old := m.slots
	m.slots = make([]memoSlot, max(128, 4*len(old)))
	for _, s := range old {
		if s.number != 0 {
			m.put(s)
		}
	}
}

// hash mixes the words that were read, eight bytes at a time; the last eight may
// overlap those before.
func (r *reader) hash() uint32 {
	const k = 0x9E3779B97F4A7C15
	b := r.text.buf
	h := uint64(len(b))<<16 ^ uint64(r.named)<<8 ^ uint64(r.described)
	if len(b) < 8 {
		for _, c := range b {
			h = (h ^ uint64(c)) * k
		}
		return uint32(h * k >> 32)
	}
	for i := 0; i+8 < len(b); i += 8 {
		h = bits.RotateLeft64((h^binary.LittleEndian.Uint64(b[i:]))*k, 29)
	}
	return uint32((h ^ binary.LittleEndian.Uint64(b[len(b)-8:])) * k >> 32)
}
