package embedded

// phrases are the few words of a report that are not quotes, by language of the
// question. Everything else comes from the sources.
type phrases struct {
	answer   string // heading of the main section
	differs  string // the reviewer's remark on a claim others contradict; %s is a title
	loose    string // the reviewer's remark on a weak claim
	doubted  string // the reviewer's remark on a claim that a model doubts
	question string // a facet made of a heading: %[1]s heading, %[2]s topic
}

func phrasesFor(lang string) phrases {
	switch lang {
	case "ko":
		return phrases{
			answer:   "답변",
			differs:  "다른 출처의 내용과 다릅니다: %s",
			loose:    "질문과 느슨하게만 관련됩니다.",
			doubted:  "검토한 모델은 인용문이 이를 말하지 않는다고 봅니다.",
			question: "%[2]s: %[1]s",
		}
	case "ja":
		return phrases{
			answer:   "回答",
			differs:  "ほかの出典と内容が異なります: %s",
			loose:    "質問との関連は弱いです。",
			doubted:  "確認したモデルは、引用がこれを述べていないと見ています。",
			question: "%[2]s: %[1]s",
		}
	case "zh":
		return phrases{
			answer:   "回答",
			differs:  "与其他来源的说法不同：%s",
			loose:    "与问题只有较弱的关联。",
			doubted:  "审阅的模型认为引文没有这样说。",
			question: "%[2]s: %[1]s",
		}
	}
	return phrases{
		answer:   "Answer",
		differs:  "Another source says otherwise: %s",
		loose:    "Only loosely related to the question.",
		doubted:  "The reviewing model finds that the quotes do not say this.",
		question: "%[1]s (%[2]s)",
	}
}
