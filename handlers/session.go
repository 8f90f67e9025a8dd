package handlers

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"
	"time"
)

const cookieSession = "progrouter_session"

// sessions signs and checks session tokens: expiry (8 bytes), nonce (8 bytes)
// and an HMAC over both, in base64. Nothing is stored. The key depends on the
// password, so a new password ends every session.
type sessions struct {
	key      []byte
	password [sha256.Size]byte
}

func newSessions(key []byte, password string) sessions {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("progrouter session\x00" + password))
	return sessions{key: mac.Sum(nil), password: sha256.Sum256([]byte(password))}
}

// passwordIs compares in constant time; hashing first hides the length too.
func (s sessions) passwordIs(given string) bool {
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], s.password[:]) == 1
}

func (s sessions) issue(now time.Time) string {
	body := make([]byte, 16, 16+sha256.Size)
	binary.BigEndian.PutUint64(body, uint64(now.Add(sessionLife).Unix()))
	_, _ = rand.Read(body[8:]) // never fails
	return base64.RawURLEncoding.EncodeToString(append(body, s.sign(body)...))
}

func (s sessions) sign(body []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(body)
	return mac.Sum(nil)
}

func (s sessions) valid(token string, now time.Time) bool {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != 16+sha256.Size || !hmac.Equal(s.sign(raw[:16]), raw[16:]) {
		return false
	}
	return now.Unix() < int64(binary.BigEndian.Uint64(raw[:8]))
}

// signedIn reports whether a request carries a valid session.
func (s *Server) signedIn(r *http.Request) bool {
	cookie, err := r.Cookie(cookieSession)
	return err == nil && s.sessions.valid(cookie.Value, s.cfg.Now())
}

func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}
