package extract

import (
	"testing"
	"time"
)

var testNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestDay(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2024년 3월 12일":           "2024-03-12",
		"2024年3月12日":             "2024-03-12",
		"2024. 3. 12.":           "2024-03-12",
		"2024.03.12 14:05":       "2024-03-12",
		"2024-03-12T08:00:00Z":   "2024-03-12",
		"March 12, 2024":         "2024-03-12",
		"Mar. 12 2024":           "2024-03-12",
		"12th March 2024":        "2024-03-12",
		"12 Sept 2024":           "2024-09-12",
		"20240312":               "2024-03-12",
		"Updated on May 5, 2020": "2020-05-05",
		"2024-02-30":             "",
		"2024-13-01":             "",
		"2031-01-01":             "",
		"1.2.3.2024":             "",
		"version 2024":           "",
		"":                       "",
	} {
		if got := day(in, testNow); got != want {
			t.Errorf("day(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestPublished(t *testing.T) {
	t.Parallel()
	p := "<p>" + para + "</p>"
	tests := []struct{ name, in, want string }{
		{"json-ld", `<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2023-05-06T10:00:00+09:00"}</script>` + p, "2023-05-06"},
		{"json-ld graph", `<script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"datePublished":"2023-05-06"}]}</script>` + p, "2023-05-06"},
		{"broken json-ld", `<script type="application/ld+json">{"datePublished":</script><meta property="article:published_time" content="2022-01-02T00:00:00Z">` + p, "2022-01-02"},
		{"meta", `<meta name="DC.date" content="2021-07-08">` + p, "2021-07-08"},
		{"time element", `<article><time datetime="2020-02-03">3 Feb</time>` + p + `</article>`, "2020-02-03"},
		{"time in footer", p + `<footer><time datetime="2020-02-03">3 Feb</time></footer>`, ""},
		{"time of a comment", p + `<div class="comments"><time datetime="2020-02-03">3 Feb</time></div>`, ""},
		{"by-line", `<h1>T</h1><p>Published: 12 March 2024</p>` + p, "2024-03-12"},
		{"korean by-line", `<h1>T</h1><p>작성일 2024년 3월 12일</p>` + p, "2024-03-12"},
		{"date in running text", p + `<p>The bridge was opened by the mayor on March 12, 2004 after four years.</p>`, ""},
		{"footer text", p + `<div class="footer">Published 12 March 2024</div>`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := parse(t, "<html><body>"+tt.in, "").Published; got != tt.want {
				t.Errorf("published %q, want %q", got, tt.want)
			}
		})
	}
}
