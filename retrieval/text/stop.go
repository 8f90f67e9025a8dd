package text

// IsStop reports whether the lower-cased word w carries no meaning of its own
// in a question or a page.
func IsStop(w string) bool {
	if len(w) > 10 {
		return false
	}
	switch w {
	case "a", "an", "the", "and", "or", "but", "nor", "if", "then", "than", "so",
		"of", "in", "on", "at", "by", "for", "with", "from", "to", "into", "onto", "upon", "as",
		"about", "between", "during", "through", "within", "over", "under", "per", "via",
		"is", "am", "are", "was", "were", "be", "been", "being", "do", "does", "did", "doing", "done",
		"has", "have", "had", "having", "can", "could", "may", "might", "must", "shall", "should", "will", "would",
		"this", "that", "these", "those", "it", "its", "itself",
		"i", "me", "my", "we", "us", "our", "you", "your", "he", "him", "his", "she", "her", "hers",
		"they", "them", "their", "theirs", "there", "here",
		"what", "which", "who", "whom", "whose", "when", "where", "why", "how",
		"not", "no", "also", "such", "both", "each", "some", "any", "all", "more", "most", "other", "only", "own", "same",
		"s", "t", "d", "ll", "re", "ve", "m",
		"describe", "explain", "summarize", "summarise", "please", "regarding":
		return true
	}
	return false
}
