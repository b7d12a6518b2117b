package auth

import (
	"encoding/json"
	"net/http"
	"strings"
)

// ProductID returns the product id of a request: inBody or, if that is empty, the
// X-PRODUCT-ID header, which may be empty too. Two different ids are MALFORMED_HEADERS.
func ProductID(r *http.Request, inBody string) (string, error) {
	id, err := header(r, "X-Product-Id")
	if err != nil || id == "" {
		return inBody, err
	}
	if inBody != "" && !strings.EqualFold(id, inBody) {
		return "", malformed("X-PRODUCT-ID", "differs from productId of the body; send one of the two")
	}
	return id, nil
}

// AddProductID adds the product id of X-PRODUCT-ID to the members of a body, by the rules
// of ProductID. It ignores a productId that is not a string, which the validation of the
// body rejects.
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
