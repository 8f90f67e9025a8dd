package store

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"time"
)

// Digits before letters keep the text in the order of the numbers.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newID is a short name that sorts by time and fits URLs: 48 bits of
// milliseconds and 32 random bits in 16 characters.
func newID(now time.Time) (string, error) {
	var b [10]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(0, now.UnixMilli())))
	copy(b[:6], ms[2:])
	if _, err := rand.Read(b[6:]); err != nil {
		return "", fmt.Errorf("random id: %w", err)
	}
	return idAlphabet.EncodeToString(b[:]), nil
}
