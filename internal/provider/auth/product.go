package auth

import (
	"encoding/json"
	"net/http"
	"strings"
)

// ProductID returns the product that a request names: the body's or, if the body names
// none, that of the X-PRODUCT-ID header. It is "" without either. Two different
// products are MALFORMED_HEADERS.
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

// AddProductID adds the product of X-PRODUCT-ID to the members of a body, by the rules
// of ProductID. A productId that is not a string is left to the validation of the
// body.
func AddProductID(r *http.Request, members map[string]json.RawMessage) error {
	var inBody string
	if raw, present := members["productId"]; present && json.Unmarshal(raw, &inBody) != nil {
		return nil
	}
	id, err := ProductID(r, inBody)
	if err != nil || id == "" {
		return err
	}
	members["productId"], err = json.Marshal(id)
	return err
}
