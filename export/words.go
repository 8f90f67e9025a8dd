package export

import (
	"strings"

	"github.com/progrouter/progrouter/research"
)

// words are the texts around a report in one language. They are a struct rather
// than catalogue keys because a missing one must not compile, and a file that
// leaves the program must never show a key.
type words struct {
	Question, Summary, Further, NotFound, NotFoundLead       string
	Quotes, Sources, Discarded, Cost, Tried, Notices         string
	From, Disagree, Characters, Read, Hash, NotCited, Cited  string
	NoClaims, NoModel, Connect                               string
	Asked, Finished, Depth, Policy, RunID                    string
	Tier, Steps, Joules, Dollars, Seconds, Total, Results    string
	Range, Method, UnknownSteps, Unknown, ActiveTime, CostBy string
	Status                                                   map[research.Status]string
	Verdict                                                  map[research.Verdict]string
}

// wordsFor returns the texts of a language and its tag; English stands in for
// languages without texts.
func wordsFor(lang string) (words, string) {
	base, _, _ := strings.Cut(strings.ToLower(lang), "-")
	if base == "ko" {
		return korean(), "ko"
	}
	return english(), "en"
}

func english() words {
	return words{
		Question: "Question", Summary: "Summary", Further: "Further findings",
		NotFound: "Not found", NotFoundLead: "The sources that were read do not answer these parts:",
		Quotes: "Quotes", Sources: "Sources", Discarded: "Discarded", Cost: "What it cost",
		Tried: "What was tried", Notices: "Notices",
		From: "From", Disagree: "The sources disagree:", Characters: "characters", Read: "read",
		Hash: "SHA-256", NotCited: "read, not cited", Cited: "cited as",
		NoClaims: "No evidence was found, so nothing is claimed.",
		NoModel:  "No language model was used: the embedded engine chose these sentences from the sources word for word.",
		Connect:  "To connect a language model, see “Connecting sources and models” in the handbook, or the Settings page.",
		Asked:    "Asked", Finished: "Finished", Depth: "Depth", Policy: "Policy", RunID: "Run",
		Tier: "Tier", Steps: "Steps", Joules: "Joules", Dollars: "Dollars", Seconds: "Seconds", Total: "Total", Results: "results",
		Range: "range", Method: "method", UnknownSteps: "steps with unknown joules, not in the sum", Unknown: "unknown",
		ActiveTime: "Active time", CostBy: "Every step is in the cost summary (cost.csv, cost.json).",
		Status: map[research.Status]string{
			research.Queued: "Queued", research.Running: "Running", research.Paused: "Paused",
			research.Complete: "Complete", research.Partial: "Partial", research.NoEvidence: "No evidence found",
			research.Failed: "Failed", research.Cancelled: "Cancelled",
		},
		Verdict: map[research.Verdict]string{
			research.Unreviewed: "not reviewed", research.Supported: "", research.Weak: "weak",
			research.Unsupported: "unsupported", research.Contradicted: "contradicted",
		},
	}
}

func korean() words {
	return words{
		Question: "질문", Summary: "요약", Further: "그 밖의 내용",
		NotFound: "찾지 못한 내용", NotFoundLead: "읽은 자료에서 다음 부분의 답을 찾지 못했습니다.",
		Quotes: "인용문", Sources: "출처", Discarded: "제외한 자료", Cost: "비용",
		Tried: "시도한 검색", Notices: "알림",
		From: "출처:", Disagree: "출처마다 내용이 다릅니다.", Characters: "글자 위치", Read: "읽은 시각",
		Hash: "SHA-256", NotCited: "읽었으나 인용하지 않음", Cited: "인용 번호",
		NoClaims: "근거를 찾지 못해 아무것도 주장하지 않습니다.",
		NoModel:  "언어 모델을 사용하지 않았습니다. 내장 엔진이 출처의 문장을 그대로 골랐습니다.",
		Connect:  "언어 모델을 연결하려면 핸드북의 “Connecting sources and models” 장이나 설정 페이지를 보십시오.",
		Asked:    "질문한 시각", Finished: "끝난 시각", Depth: "깊이", Policy: "정책", RunID: "실행",
		Tier: "등급", Steps: "단계", Joules: "줄(J)", Dollars: "달러", Seconds: "초", Total: "합계", Results: "건",
		Range: "범위", Method: "방법", UnknownSteps: "개 단계는 에너지를 알 수 없어 합계에서 빠졌습니다", Unknown: "알 수 없음",
		ActiveTime: "작업 시간", CostBy: "단계별 내역은 비용 요약(cost.csv, cost.json)에 있습니다.",
		Status: map[research.Status]string{
			research.Queued: "대기 중", research.Running: "진행 중", research.Paused: "일시 중지",
			research.Complete: "완료", research.Partial: "일부 완료", research.NoEvidence: "근거를 찾지 못함",
			research.Failed: "실패", research.Cancelled: "취소됨",
		},
		Verdict: map[research.Verdict]string{
			research.Unreviewed: "검토 전", research.Supported: "", research.Weak: "약함",
			research.Unsupported: "근거 없음", research.Contradicted: "모순",
		},
	}
}
