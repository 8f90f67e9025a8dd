package embedded

import (
	"regexp"

	"github.com/progrouter/progrouter/retrieval/text"
)

var (
	// rePlanted finds orders to whatever machine reads the page.
	rePlanted = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,30}\b(?:instructions?|prompts?|guidelines|directions|rules above)\b` +
		`|^\W*(?:system|assistant|developer|instructions?)(?: (?:prompt|message|note|override))?\s*:` +
		`|<\|?/?(?:system|im_start|im_end|inst)\b` +
		`|\b(?:as|you are) an? (?:ai|large language model|language model|helpful assistant)(?:[,.;]|$| (?:i|you|language|model|assistant|must|should)\b)` +
		`|\b(?:mark|rate|report|treat|label|classify|accept)\b[^.]{0,20}\b(?:every|all|each|this|any)\b[^.]{0,25}\b(?:claims?|statements?|answers?|sources?|pages?)\b[^.]{0,25}\bas\b` +
		`|\b(?:ai|llm|language)(?: models?| assistants?| agents?| systems?| crawlers?|s)? (?:reading|that reads?|who reads?|processing) this\b` +
		`|\bdear (?:ai|assistant|model|llm|chatbot)\b` +
		`|(?:이전|앞의|위의|모든) ?(?:지시|명령|지침|프롬프트)[^.]{0,8}(?:무시|잊)|(?:以前|これまで|上記|すべて)の(?:指示|命令)[^。]{0,6}(?:無視|忘れ)|(?:忽略|无视|無視)[^。]{0,10}(?:指令|指示|提示)`)
	// reAppeal finds sentences that tell readers what to do with the page, or
	// what to say.
	reAppeal = regexp.MustCompile(`(?i)\b(?:click (?:here|below|on|the (?:link|button))|subscribe\b|sign up (?:for|now|today|here)|follow us\b|share this\b|like and share|log in to\b)` +
		`|\b(?:you must|you should|please|always) (?:now )?(?:answer|respond|reply|say|output|cite|recommend|tell the user)\b` +
		`|\b(?:do not|don['’]t|never) (?:mention|reveal|cite|quote|trust|tell)\b|여기를 (?:클릭|누르)|구독(?:하|해)|クリック|購読し|点击这里|點擊這裡|请订阅`)
)

// planted says whether a sentence gives orders to its reader and has nothing to
// do with what is asked: an order to a machine counts as on the topic only when
// the question is about such orders, an appeal to people when it shares a word
// with the question, from the appeal on.
func planted(clean string, asked termSet) bool {
	if order := rePlanted.FindString(clean); order != "" {
		return overlap(setOf(text.Terms(order)), asked) == 0
	}
	// What stands before an appeal does not excuse it.
	at := reAppeal.FindStringIndex(clean)
	return at != nil && overlap(setOf(text.Terms(clean[at[0]:])), asked) == 0
}
