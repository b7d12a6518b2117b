package bankdata

import "encoding/binary"

// maxPartyWords is the maximum number of words in a counterparty's name. Later words are
// mostly references.
const maxPartyWords = 4

// read reads a transaction's words: the merchant's name, if the bank provides one, then
// the descriptor, then the memo.
func (r *reader) read(t *Transaction) {
	r.text.reset()
	r.text.add(t.Merchant)
	r.named = r.text.count
	r.text.add(t.Description)
	r.described = r.text.count
	r.text.add(t.Memo)
}

// all returns a key of everything that the judgment of the text depends on. The result
// is valid until the next call of read.
func (r *reader) all() []byte {
	key := r.text.buf
	if r.text.houseNumbers != ([len(r.text.houseNumbers)]uint64{}) {
		key = append(key, 0xFF) // does not occur in words
		for _, bits := range r.text.houseNumbers {
			key = binary.LittleEndian.AppendUint64(key, bits)
		}
	}
	return append(key, byte(r.named), byte(r.described)) // both are at most maxWords
}

// party returns the normalized counterparty, valid until the next call: the merchant as
// the bank or the dictionary names it; otherwise the descriptor's words without payment
// method, account holder, and city and state at the end.
func (r *reader) party() []byte {
	words := r.words
	if r.named > 0 {
		return r.join(words[:min(r.named, maxPartyWords)])
	}
	if from, to := r.phrase[0], r.phrase[1]; to > from {
		return r.join(words[from:to])
	}
	words = words[:r.described]
	kept := r.kept[:0]
	person := false
	for i, w := range words {
		switch {
		case w.flags&flagEntry != 0:
			person = false
		case w.flags&flagPerson != 0:
			person = true
		}
		last := i == len(words)-1 && w.flags&flagState != 0
		if !person && (w.flags&flagNoise == 0 || last) {
			kept = append(kept, w)
		}
	}
	kept = withoutPlace(kept)
	r.kept = kept
	if len(kept) == 0 {
		kept = words
	}
	return r.join(kept[:min(len(kept), maxPartyWords)])
}

// withoutPlace removes a state at the end and the city before it.
func withoutPlace(w []word) []word {
	n := len(w)
	if n < 3 || w[n-1].flags&flagState == 0 {
		return w
	}
	n -= 2
	if n > 1 && w[n-1].flags&flagCity != 0 {
		n--
	}
	return w[:n]
}

// join concatenates words. Words that are adjacent in the text are copied together.
func (r *reader) join(words []word) []byte {
	r.name = r.name[:0]
	for len(words) > 0 {
		n := 1
		for n < len(words) && words[n].start == words[n-1].end+1 {
			n++
		}
		if len(r.name) > 0 {
			r.name = append(r.name, ' ')
		}
		r.name = append(r.name, r.text.buf[words[0].start:words[n-1].end]...)
		words = words[n:]
	}
	return r.name
}
