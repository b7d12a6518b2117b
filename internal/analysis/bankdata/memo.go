package bankdata

// memo keeps the judgements of transactions by their words, so that a text that
// comes again is not read again. Nothing is ever taken out of it, and the keys
// are the input's own strings.
type memo struct {
	slots []memoSlot
	kept  []judged
}

type memoSlot struct {
	hash   uint32
	number int32 // in kept, from 1; 0: empty
}

// judged is what the words of a transaction say, whichever way its money goes.
type judged struct {
	of            *Transaction
	credit, debit Verdict
	party         int32
}

const (
	// maxMemo bounds how many texts are kept, so that the table stays in the
	// processor's cache.
	maxMemo = 4096
	// maxProbes bounds a search, so that no choice of texts makes it long.
	maxProbes = 16
)

func newMemo(transactions int) memo {
	slots := 64
	for slots < 2*min(transactions, maxMemo) {
		slots *= 2
	}
	return memo{slots: make([]memoSlot, slots), kept: make([]judged, 0, min(transactions/4, maxMemo))}
}

// find returns the judgement of a transaction's words, nil where it is not kept.
// keep is where it would go, nil when there is no room for it.
func (m *memo) find(t *Transaction) (known *judged, keep *memoSlot) {
	h := hashText(t)
	mask := uint32(len(m.slots) - 1)
	for i := range uint32(maxProbes) {
		s := &m.slots[(h+i)&mask]
		if s.number == 0 {
			if len(m.kept) == maxMemo {
				return nil, nil
			}
			s.hash = h
			return nil, s
		}
		if s.hash == h {
			k := &m.kept[s.number-1]
			if k.of.Description == t.Description && k.of.Merchant == t.Merchant && k.of.Memo == t.Memo {
				return k, nil
			}
		}
	}
	return nil, nil
}

func (m *memo) keep(s *memoSlot, j judged) {
	m.kept = append(m.kept, j)
	s.number = int32(len(m.kept))
}

func hashText(t *Transaction) uint32 {
	h := hashString(0, t.Description)
	if t.Merchant != "" {
		h = hashString(h, t.Merchant)
	}
	if t.Memo != "" {
		h = hashString(h+1, t.Memo)
	}
	return uint32(h >> 32)
}

// hashString mixes a string into h, eight bytes at a time.
func hashString(h uint64, s string) uint64 {
	const k = 0x9E3779B97F4A7C15
	h = (h ^ uint64(len(s))) * k
	for ; len(s) >= 8; s = s[8:] {
		w := s[:8]
		h ^= uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		h *= k
		h ^= h >> 29
	}
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * k
	}
	return h
}
