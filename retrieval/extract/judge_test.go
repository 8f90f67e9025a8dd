package extract

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<p>"+para+"</p>", 40)
	tests := []struct{ name, in, code string }{
		{"soft 404 by title", "<title>404 Not Found</title><h1>Oops</h1><p>We looked everywhere. Try the search or go back to the start page of this site, please.</p>", CodeSoft404},
		{"soft 404 in words", "<title>Example</title><h1>Page not found</h1><p>The page you asked for may have moved to another place in the meantime.</p>", CodeSoft404},
		{"korean soft 404", "<title>안내</title><p>요청하신 페이지를 찾을 수 없습니다. 주소를 다시 확인해 주십시오.</p>", CodeSoft404},
		{"japanese soft 404", "<title>エラー</title><p>お探しのページは見つかりませんでした。アドレスをもう一度ご確認ください。</p>", CodeSoft404},
		{"chinese soft 404", "<title>提示</title><p>很抱歉，您访问的页面不存在，请检查您输入的网址是否正确无误。</p>", CodeSoft404},
		{"article about 404", "<title>HTTP 404</title><h1>HTTP 404</h1>" + long, ""},
		{"error page", "<title>Error</title><h1>500 Internal Server Error</h1><p>The server encountered an unexpected condition.</p>", CodeErrorPage},
		{"database error", "<h1>Error establishing a database connection</h1><p>Please contact the administrator of this site.</p>", CodeErrorPage},
		{"cloudflare", `<title>Just a moment...</title><div id="challenge-running"></div><p>Checking if the site connection is secure. Enable JavaScript and cookies to continue.</p>`, CodeCaptcha},
		{"recaptcha", `<title>Security</title><p>Please verify that you are human to go on.</p><div class="g-recaptcha"></div>`, CodeCaptcha},
		{"comment form with recaptcha", "<title>River</title>" + long + `<div class="g-recaptcha"></div>`, ""},
		{"login", `<title>Sign in</title><form><label>User name</label><input name=u><label>Password</label><input type=password><button>Sign in</button></form><p>Forgot your password? Ask the help desk for a new one today.</p>`, CodeLogin},
		{"korean login", `<title>로그인</title><form><input type=password></form><p>아이디와 비밀번호를 입력하고 로그인 단추를 눌러 주십시오.</p>`, CodeLogin},
		{"article with a login box", "<title>River</title><form><input type=password><button>Log in</button></form>" + long, ""},
		{"paywall by schema", `<title>Story</title><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False"}</script><p>` + para + para + "</p>", CodePaywall},
		{"paywall in words", "<title>Story</title><p>" + para + "</p><p>Subscribe to continue reading.</p>", CodePaywall},
		{"free by schema", `<script type="application/ld+json">{"isAccessibleForFree":true}</script><p>` + para + para + "</p>", ""},
		{"consent", "<title>Example</title><div><p>We value your privacy. We and our partners store cookies on your device.</p><button>Accept all</button><button>Reject all</button> Manage preferences</div>", CodeConsent},
		{"page with a banner", "<title>River</title><p>" + para + `</p><div class="cookie-banner">We use cookies. Accept all. Reject all.</div>`, ""},
		{"single page application", `<title>App</title><div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript><script src=a.js></script>`, CodeJavaScript},
		{"empty", "<title>Nothing</title><body><img src=x></body>", CodeEmpty},
		{"short but fine", "<title>Note</title><p>The museum is closed on Mondays.</p>", ""},
		{"about signing in", "<title>Guide</title><h1>How sign-in works</h1>" + long, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc, no, err := New(nil).Parse(t.Context(), "p", "text/html; charset=utf-8", []byte("<!doctype html><html>"+tt.in), "https://example.org/p")
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.code == "" && no != nil:
				t.Errorf("discarded as %s", no.Code)
			case tt.code != "" && no == nil:
				t.Errorf("kept: %q", doc.Text)
			case no != nil && no.Code != tt.code:
				t.Errorf("code %s, want %s", no.Code, tt.code)
			case no != nil && (no.URL != "https://example.org/p" || strings.Count(no.Reason, ".") < 2):
				t.Errorf("reason lacks a cause and a cure, or the URL is wrong: %+v", no)
			}
		})
	}
}

// A page that a person saved and uploaded is read, whatever it looks like.
func TestUploadsAreNotJudged(t *testing.T) {
	t.Parallel()
	page := `<title>Log in</title><form><input type=password></form><script type="application/ld+json">{"isAccessibleForFree":false}</script><p>` + para + "</p>"
	for _, base := range []string{"", "library:saved.html"} {
		if _, no, err := New(nil).Parse(t.Context(), "saved.html", "", []byte(page), base); no != nil || err != nil {
			t.Errorf("%q: %+v %v", base, no, err)
		}
	}
	if _, no, _ := New(nil).Parse(t.Context(), "notes.md", "", []byte("# Error 404\n\nWhat our server says when nothing is there."), "library:notes.md"); no != nil {
		t.Errorf("notes: %+v", no)
	}
	if _, no, _ := New(nil).Parse(t.Context(), "", "text/markdown", []byte("# Error 404\n\nThere is nothing at this address, sorry."), "https://example.org/x"); no == nil || no.Code != CodeSoft404 {
		t.Errorf("scraped error page: %+v", no)
	}
}
