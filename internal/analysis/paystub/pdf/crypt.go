package pdf

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	_ "crypto/sha512" // for crypto.SHA384 and crypto.SHA512
	"encoding/binary"
)

// The work for each encrypted string or stream, and for each byte of it.
const (
	perCipher    = 256
	perDecrypted = 8
)

// crypt decrypts the strings and streams of a file that opens with an empty password
// (ISO 32000-2, 7.6).
type crypt struct {
	key              []byte
	methods          map[name]name // V2 (RC4), AESV2, AESV3 or None, by crypt filter
	streams, strings name          // the crypt filters of streams and strings
	metadata         bool          // the metadata are encrypted
}

// padding stands for the letters that a password lacks to 32 bytes.
const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08" +
	"\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// unlock prepares the decryption of an encrypted file with an empty password. It panics with
// ErrEncrypted if the file needs another one, or is encrypted in an unknown way.
func (r *reader) unlock() {
	at := r.trailer.get("Encrypt")
	if r.crypt = nil; at == nil {
		return
	}
	r.left.spend(1 << 16)
	d := r.asDict(at)
	c := &crypt{methods: map[name]name{"": "V2", "Identity": "None"}, metadata: r.resolve(d.get("EncryptMetadata")) != false}
	version := r.asInt(d.get("V"))
	if version >= 4 {
		c.methods[""] = "None"
		for _, e := range r.asDict(d.get("CF")) {
			if e.key != "Identity" {
				c.methods[e.key], _ = r.resolve(r.asDict(e.value).get("CFM")).(name)
			}
		}
		c.streams, _ = r.resolve(d.get("StmF")).(name)
		c.strings, _ = r.resolve(d.get("StrF")).(name)
	}
	switch {
	case r.resolve(d.get("Filter")) != name("Standard"):
	case version == 1, version == 2, version == 4:
		c.key = r.key128(d, version, c.metadata)
	case version == 5:
		c.key = r.key256(d)
	}
	if c.key == nil {
		panic(failure{ErrEncrypted})
	}
	r.out.Encrypted = true
	r.crypt, r.objects, r.packed = c, map[int]any{}, map[int][]packedObject{} // those that were read were not decrypted
}

// key128 returns the key of revisions 2 to 4, or nil if the password is not empty.
func (r *reader) key128(d dict, version int, metadata bool) []byte {
	owner, _ := r.resolve(d.get("O")).(text)
	user, _ := r.resolve(d.get("U")).(text)
	var id text
	if a := r.asArray(r.trailer.get("ID")); len(a) > 0 {
		id, _ = r.resolve(a[0]).(text)
	}
	revision, n := r.asInt(d.get("R")), r.asInt(d.get("Length"))
	switch {
	case version == 1 || n == 0 && version == 2:
		n = 5
	case version == 4:
		n = 16
	case n >= 40: // bits
		n /= 8
	}
	if len(owner) < 32 || len(user) < 16 || n < 5 || n > 16 {
		return nil
	}
	b := append(binary.LittleEndian.AppendUint32([]byte(padding+owner[:32]), uint32(r.asInt(d.get("P")))), id...)
	if revision >= 4 && !metadata {
		b = append(b, "\xff\xff\xff\xff"...)
	}
	sum := md5.Sum(b)
	check, rounds := []byte(padding), byte(1)
	if revision >= 3 {
		for range 50 {
			sum = md5.Sum(sum[:n])
		}
		hashed := md5.Sum([]byte(padding + id))
		check, rounds = hashed[:], 20
	}
	key := sum[:n]
	for i := range rounds {
		each := bytes.Clone(key)
		for k := range each {
			each[k] ^= i
		}
		check = rc4Of(each, check)
	}
	if !bytes.HasPrefix([]byte(user), check) {
		return nil
	}
	return key
}

// key256 returns the key of revisions 5 and 6, or nil if the password is not empty.
func (r *reader) key256(d dict) []byte {
	user, _ := r.resolve(d.get("U")).(text)
	wrapped, _ := r.resolve(d.get("UE")).(text)
	hash := func(salt text) []byte { sum := sha256.Sum256([]byte(salt)); return sum[:] }
	if r.asInt(d.get("R")) != 5 {
		hash = hash6
	}
	if len(user) < 48 || len(wrapped) < 32 || string(hash(user[32:40])) != string(user[:32]) {
		return nil
	}
	return cbc(hash(user[40:48]), make([]byte, aes.BlockSize), []byte(wrapped[:32]))
}

// hash6 returns the hash of revision 6 (algorithm 2.B) of an empty password.
func hash6(salt text) []byte {
	sum := sha256.Sum256([]byte(salt))
	key, last := sum[:], 0
	for i := 0; i < 64 || last > i-32; i++ {
		b := bytes.Repeat(key, 64)
		c, _ := aes.NewCipher(key[:16])
		cipher.NewCBCEncrypter(c, key[16:32]).CryptBlocks(b, b)
		rest := 0
		for _, v := range b[:16] {
			rest += int(v)
		}
		h := [3]crypto.Hash{crypto.SHA256, crypto.SHA384, crypto.SHA512}[rest%3].New()
		h.Write(b)
		key, last = h.Sum(nil), int(b[len(b)-1])
	}
	return key[:32]
}

// rc4Of returns data encrypted or decrypted with a key of 5 to 16 bytes.
func rc4Of(key, data []byte) []byte {
	c, _ := rc4.NewCipher(key)
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// cbc returns the whole blocks of data decrypted with a key of 16 or 32 bytes.
func cbc(key, iv, data []byte) []byte {
	c, _ := aes.NewCipher(key)
	out := make([]byte, len(data)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(c, iv).CryptBlocks(out, data[:len(out)])
	return out
}

// decrypted returns data of an object decrypted by a crypt filter.
func (r *reader) decrypted(data []byte, filter name, num, gen int) []byte {
	method := r.crypt.methods[filter]
	if method == "None" {
		return data
	}
	r.left.spend(perCipher + perDecrypted*len(data))
	key := append(bytes.Clone(r.crypt.key), byte(num), byte(num>>8), byte(num>>16), byte(gen), byte(gen>>8))
	if method == "AESV2" {
		key = append(key, "sAlT"...)
	}
	sum := md5.Sum(key)
	switch key = sum[:min(len(r.crypt.key)+5, 16)]; method {
	case "V2":
		return rc4Of(key, data)
	case "AESV2":
	case "AESV3":
		key = r.crypt.key
	default:
		panic(failure{ErrEncrypted})
	}
	if len(data) < 2*aes.BlockSize {
		return nil
	}
	out := cbc(key, data[:aes.BlockSize], data[aes.BlockSize:])
	if n := int(out[len(out)-1]); n <= aes.BlockSize {
		out = out[:len(out)-n] // without the padding
	}
	return out
}

// decryptStrings decrypts the strings of an object in place, and returns the object.
func (r *reader) decryptStrings(v any, num, gen int) any {
	switch v := v.(type) {
	case text:
		return text(r.decrypted([]byte(v), r.crypt.strings, num, gen))
	case array:
		for i := range v {
			v[i] = r.decryptStrings(v[i], num, gen)
		}
	case dict:
		for i := range v {
			v[i].value = r.decryptStrings(v[i].value, num, gen)
		}
	}
	return v
}

// decryptStream returns the bytes of a stream, decrypted.
func (r *reader) decryptStream(st *stream) []byte {
	kind, filter := r.resolve(st.dict.get("Type")), r.crypt.streams
	if kind == name("XRef") || kind == name("Metadata") && !r.crypt.metadata {
		return st.raw
	}
	if filters := r.list(firstOf(st.dict, "Filter", "F")); len(filters) > 0 && r.resolve(filters[0]) == name("Crypt") {
		filter = "Identity"
		if parms := r.list(firstOf(st.dict, "DecodeParms", "DP")); len(parms) > 0 && r.asDict(parms[0]).get("Name") != nil {
			filter, _ = r.resolve(r.asDict(parms[0]).get("Name")).(name)
		}
	}
	return r.decrypted(st.raw, filter, st.num, st.gen)
}
