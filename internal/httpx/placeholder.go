package httpx

import (
	"slices"

	"vestibule/internal/contract"
)

// Placeholder returns words about a value that a program without the real value sent, such as
// undefined, to begin an error about it. It returns "" for other values.
func Placeholder(value string) string {
	if slices.Contains([]string{"undefined", "null", "None", "nil", "NaN", "[object Object]", "[object Promise]"}, value) {
		return "is the word " + value + ": a variable of your program has no value; "
	}
	return ""
}

// UUIDProblem returns what is wrong with the form of an identifier, or "" for a UUID.
func UUIDProblem(id string) string {
	switch {
	case id == "":
		return "is missing"
	case contract.IsUUID(id):
		return ""
	}
	return Placeholder(id) + "must be a UUID"
}
