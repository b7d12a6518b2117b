package httpx

import "slices"

// Placeholder returns words for a value that a program without the real value sent, such as
// undefined, to add to an error about it. It returns "" for other values.
func Placeholder(value string) string {
	if slices.Contains([]string{"undefined", "null", "None", "nil", "NaN", "[object Object]", "[object Promise]"}, value) {
		return "is the word " + value + ": a variable of your program has no value; "
	}
	return ""
}
