package auth

import (
	"encoding/json"
	"net/http"
	"strings"
)

// ProductID returns the product that a request names: in its body, or in the header
// X-PRODUCT-ID where the body names none. It is empty where neither does. Two that
// differ are MALFORMED_HEADERS.
func ProductID(r *http.Request, inBody string) (string, error) {
	id, err := header(r, "X-Product-Id")
	if err != nil || id == "" {
		return inBody, err
	}
	if inBody != "" && !strings.EqualFold(id, inBody) {
		return "", malformed("X-PRODUCT-ID", "differs from productId")
	}
	return id, nil
}

// AddProductID puts the product of X-PRODUCT-ID into the members of a body, by the
// rules of ProductID. A productId that is not a string is left for the body's own
// check.
func AddProductID(r *http.Request, members map[string]json.RawMessage) error {
	var inBody string
	if raw, given := members["productId"]; given && json.Unmarshal(raw, &inBody) != nil {
		return nil
	}
	id, err := ProductID(r, inBody)
	if err != nil || id == "" {
		return err
	}
	members["productId"], err = json.Marshal(id)
	return err
}
