package handlers

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	attemptBurst  = 5
	attemptPause  = 10 * time.Second // one more attempt per pause
	checkBurst    = 10               // passwords of a blocked address that are still looked at
	checkPause    = time.Second      // one more of them per pause
	attemptsKept  = 10_000           // addresses remembered
	attemptForget = attemptBurst * attemptPause
)

// attempts limits failed passwords per address. Memory is bounded: addresses
// whose allowance has filled up again are forgotten.
type attempts struct {
	mu sync.Mutex
	by map[string]*attempt
}

type attempt struct {
	limiter *rate.Limiter
	checks  *rate.Limiter
	last    time.Time
}

func newAttempts() *attempts { return &attempts{by: map[string]*attempt{}} }

// blocked reports whether an address has used up its attempts, and how long
// until the next one.
func (a *attempts) blocked(addr string, now time.Time) (time.Duration, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.by[addr]
	if !ok {
		return 0, false
	}
	if tokens := one.limiter.TokensAt(now); tokens < 1 {
		return time.Duration((1 - tokens) * float64(attemptPause)), true
	}
	return 0, false
}

// mayCheck reports whether the password of a blocked address is looked at all the
// same. The right one lets its owner in, whoever else guesses from that address
// (a proxy, a shared network, a misconfigured script); guessing stays slow.
func (a *attempts) mayCheck(addr string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.by[addr]
	return !ok || one.checks.AllowN(now, 1)
}

// failed counts a wrong password.
func (a *attempts) failed(addr string, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.by[addr]
	if !ok {
		a.forget(now)
		one = &attempt{limiter: rate.NewLimiter(rate.Every(attemptPause), attemptBurst), checks: rate.NewLimiter(rate.Every(checkPause), checkBurst)}
		a.by[addr] = one
	}
	one.last = now
	one.limiter.AllowN(now, 1)
}

func (a *attempts) succeeded(addr string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.by, addr)
}

func (a *attempts) forget(now time.Time) {
	if len(a.by) < attemptsKept {
		return
	}
	oldest, when := "", now
	for addr, one := range a.by {
		if now.Sub(one.last) > attemptForget {
			delete(a.by, addr)
		} else if one.last.Before(when) {
			oldest, when = addr, one.last
		}
	}
	if len(a.by) >= attemptsKept {
		delete(a.by, oldest)
	}
}

// clientAddress is who to count attempts for: the peer itself, an IPv6 network
// as one. Forwarding headers are not trusted, they can be made up.
func clientAddress(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		if network, err := ip.Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}
