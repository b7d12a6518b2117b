package review

import (
	"bytes"
	"encoding/json"

	"vestibule/internal/prefill"
)

// withStated adds what the applicant stated as a member of the report and leaves the
// report's own bytes unchanged. A report that already has a member of that name is not
// changed.
func withStated(raw []byte, stated prefill.Fields) []byte {
	var members map[string]json.RawMessage
	node, err := json.Marshal(stated)
	if err != nil || json.Unmarshal(raw, &members) != nil || members == nil {
		return raw
	}
	if _, there := members["stated"]; there {
		return raw
	}
	begin := bytes.IndexByte(raw, '{') + 1
	var out bytes.Buffer
	out.Grow(len(raw) + len(node) + 16)
	out.Write(raw[:begin])
	out.WriteString(`"stated":`)
	out.Write(node)
	if len(members) > 0 {
		out.WriteByte(',')
	}
	out.Write(raw[begin:])
	return out.Bytes()
}
