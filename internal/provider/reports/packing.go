package reports

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/compress"
	"vestibule/internal/report"
)

// The format of an encrypted input: the length of a JSON head, and the head, which is
// the input without its transactions; then, for each account in order, the number of
// transactions and the transactions. Numbers are varints and strings have a length
// prefix. Inputs are packed by compress.Pack; those of former versions are not.

// errPacked is returned for data of another version, or damaged data.
var errPacked = errors.New("reports: a packed input does not unpack")

// Flags of a transaction.
const (
	hasDate = 1 << iota
	isPending
	hasMerchant
	hasMemo
	isDebit
)

const secondsOfDay = 24 * 60 * 60

// packInput encodes an input for encryption.
func packInput(in Input) ([]byte, error) {
	head := in
	var accounts []bankdata.Account
	if in.Data != nil {
		d := bankdata.Data{Connections: append([]bankdata.Connection(nil), in.Data.Connections...)}
		for i := range d.Connections {
			c := &d.Connections[i]
			accounts = append(accounts, c.Accounts...)
			c.Accounts = append([]bankdata.Account(nil), c.Accounts...)
			for j := range c.Accounts {
				c.Accounts[j].Transactions = nil
			}
		}
		head.Data = &d
	}
	raw, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	size := len(raw) + binary.MaxVarintLen64
	for _, a := range accounts {
		size += binary.MaxVarintLen64
		for i := range a.Transactions {
			t := &a.Transactions[i]
			size += 24 + len(t.ID) + len(t.Description) + len(t.Merchant) + len(t.Memo)
		}
	}
	out := make([]byte, 0, size)
	out = binary.AppendUvarint(out, uint64(len(raw)))
	out = append(out, raw...)
	for _, a := range accounts {
		out = binary.AppendUvarint(out, uint64(len(a.Transactions)))
		for i := range a.Transactions {
			out = packTransaction(out, &a.Transactions[i])
		}
	}
	return compress.Pack(out), nil
}

func packTransaction(out []byte, t *bankdata.Transaction) []byte {
	var flags byte
	if !t.Posted.IsZero() {
		flags |= hasDate
	}
	if t.Pending {
		flags |= isPending
	}
	if t.Merchant != "" {
		flags |= hasMerchant
	}
	if t.Memo != "" {
		flags |= hasMemo
	}
	if t.Debit {
		flags |= isDebit
	}
	out = append(out, flags)
	if flags&hasDate != 0 {
		out = binary.AppendVarint(out, t.Posted.Unix()/secondsOfDay)
	}
	out = binary.AppendVarint(out, int64(t.Amount))
	out = packText(packText(out, t.ID), t.Description)
	if flags&hasMerchant != 0 {
		out = packText(out, t.Merchant)
	}
	if flags&hasMemo != 0 {
		out = packText(out, t.Memo)
	}
	return out
}

func packText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// unpackInput decodes the output of packInput. The strings of the transactions share
// one allocation.
func unpackInput(packed []byte) (Input, error) {
	raw, err := compress.Unpack(packed)
	if err != nil {
		return Input{}, errPacked
	}
	u := unpacker{rest: string(raw)}
	var in Input
	if err := json.Unmarshal([]byte(u.text()), &in); err != nil {
		return Input{}, errPacked
	}
	if in.Data != nil {
		for i := range in.Data.Connections {
			for j := range in.Data.Connections[i].Accounts {
				n := u.number()
				if n > uint64(len(u.rest)) { // each takes a byte at least
					return Input{}, errPacked
				}
				if n == 0 {
					continue
				}
				all := make([]bankdata.Transaction, n)
				for k := range all {
					u.transaction(&all[k])
				}
				in.Data.Connections[i].Accounts[j].Transactions = all
			}
		}
	}
	if u.broken || u.rest != "" {
		return Input{}, errPacked
	}
	return in, nil
}

type unpacker struct {
	rest   string
	broken bool
}

func (u *unpacker) transaction(t *bankdata.Transaction) {
	flags := byte(0)
	if u.rest == "" {
		u.broken = true
		return
	}
	flags, u.rest = u.rest[0], u.rest[1:]
	if flags&hasDate != 0 {
		t.Posted = report.Date{Time: time.Unix(u.signed()*secondsOfDay, 0).UTC()}
	}
	t.Pending, t.Debit = flags&isPending != 0, flags&isDebit != 0
	t.Amount = report.Cents(u.signed())
	t.ID, t.Description = u.text(), u.text()
	if flags&hasMerchant != 0 {
		t.Merchant = u.text()
	}
	if flags&hasMemo != 0 {
		t.Memo = u.text()
	}
}

func (u *unpacker) number() uint64 {
	var n uint64
	for i := 0; i < len(u.rest) && i < binary.MaxVarintLen64; i++ {
		c := u.rest[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			u.rest = u.rest[i+1:]
			return n
		}
	}
	u.rest, u.broken = "", true
	return 0
}

func (u *unpacker) signed() int64 {
	n := u.number()
	return int64(n>>1) ^ -int64(n&1)
}

func (u *unpacker) text() string {
	n := u.number()
	if n > uint64(len(u.rest)) {
		u.rest, u.broken = "", true
		return ""
	}
	t := u.rest[:n]
	u.rest = u.rest[n:]
	return t
}
