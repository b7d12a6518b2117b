package bankdata

import "hash/maphash"

// pool numbers distinct texts from 0 in the order of their first occurrence. The seed
// prevents chosen texts from slowing searches; it does not affect the numbers.
type pool struct {
	seed  maphash.Seed
	slots []poolSlot // open addressing; the length is a power of two
	texts []byte     // concatenated
	ends  []int32    // in texts, by number
}

type poolSlot struct {
	hash uint32
	next int32 // the text's number plus one; 0 if empty
}

// newPool makes a pool with space for the expected number of texts.
func newPool(expected int) pool {
	slots := 64
	for slots < 2*expected {
		slots *= 2
	}
	return pool{
		seed: maphash.MakeSeed(), slots: make([]poolSlot, slots),
		texts: make([]byte, 0, 24*expected), ends: make([]int32, 0, expected),
	}
}

// find returns a text's number, or -1; and its hash, for add.
func (p *pool) find(text []byte) (number int, hash uint32) {
	hash = uint32(maphash.Bytes(p.seed, text))
	mask := uint32(len(p.slots) - 1)
	for i := hash; ; i++ {
		s := p.slots[i&mask]
		if s.next == 0 {
			return -1, hash
		}
		if s.hash == hash {
			if n := int(s.next) - 1; string(p.text(n)) == string(text) {
				return n, hash
			}
		}
	}
}

func (p *pool) text(number int) []byte {
	from := int32(0)
	if number > 0 {
		from = p.ends[number-1]
	}
	return p.texts[from:p.ends[number]]
}

// add adds a text that find did not find.
func (p *pool) add(text []byte, hash uint32) (number int) {
	if 2*len(p.ends) >= len(p.slots) {
		old := p.slots
		p.slots = make([]poolSlot, 2*len(old))
		for _, s := range old {
			if s.next != 0 {
				p.put(s)
			}
		}
	}
	p.texts = append(p.texts, text...)
	p.ends = append(p.ends, int32(len(p.texts)))
	p.put(poolSlot{hash, int32(len(p.ends))})
	return len(p.ends) - 1
}

// put stores s in the first free slot.
func (p *pool) put(s poolSlot) {
	mask := uint32(len(p.slots) - 1)
	i := s.hash
	for p.slots[i&mask].next != 0 {
		i++
	}
	p.slots[i&mask] = s
}

// all returns the texts, by number.
func (p *pool) all() []string {
	joined, from := string(p.texts), int32(0)
	out := make([]string, len(p.ends))
	for i, to := range p.ends {
		out[i] = joined[from:to]
		from = to
	}
	return out
}
