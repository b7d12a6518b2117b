package i18n

func lookup(l Lang, k Key) (string, bool) {
	at := 0
	for i := range languages {
		if languages[i] == l {
			at = i
		}
	}
	for i := range messages {
		if m := &messages[i]; m.key == k {
			if text := m.texts[at]; text != "" {
				return text, true
			}
			return m.texts[0], true
		}
	}
	return "", false
}
