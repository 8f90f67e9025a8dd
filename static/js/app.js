// Small comforts on top of pages that work without a script: theme without a
// reload, citations beside their marker and on hover, copying a quote, ages that
// tick, and open details that survive a live update.
(() => {
  'use strict';
  const root = document.documentElement;

  // Theme: apply at once, remember in the background.
  document.addEventListener('submit', (event) => {
    const form = event.target, button = event.submitter;
    if (!form.matches('[data-themes]') || !button || button.name !== 'theme') return;
    event.preventDefault();
    if (button.value === 'system') root.removeAttribute('data-theme');
    else root.dataset.theme = button.value;
    for (const b of form.querySelectorAll('button')) b.setAttribute('aria-pressed', String(b === button));
    const body = new URLSearchParams({ theme: button.value, next: location.pathname });
    fetch(form.action, { method: 'POST', body, redirect: 'manual' }).catch(() => {});
  });

  // Citations: the browser opens the popover; this puts it beside its marker.
  const marker = (popover) => document.querySelector(`[popovertarget="${CSS.escape(popover.id)}"].cite`);
  function place(popover) {
    const at = marker(popover);
    if (!at) return;
    const m = at.getBoundingClientRect(), box = popover.getBoundingClientRect(), gap = 8;
    const left = Math.max(gap, Math.min(m.left - 24, innerWidth - box.width - gap));
    const below = m.bottom + gap, above = m.top - gap - box.height;
    const top = below + box.height <= innerHeight - gap || above < gap ? below : above;
    popover.style.left = `${left}px`;
    popover.style.top = `${Math.max(gap, Math.min(top, innerHeight - box.height - gap))}px`;
    popover.classList.add('placed');
  }
  document.addEventListener('toggle', (event) => {
    const t = event.target;
    if (t.matches && t.matches('.popover') && event.newState === 'open') {
      place(t);
      for (const b of t.querySelectorAll('[data-copy]')) b.hidden = !navigator.clipboard;
    }
  }, true);

  // Hover opens after a moment and closes once the pointer has left both.
  let timer = 0, hovered = null;
  const later = (fn, ms) => { clearTimeout(timer); timer = setTimeout(fn, ms); };
  document.addEventListener('pointerover', (event) => {
    if (event.pointerType !== 'mouse' || !event.target.closest) return;
    const cite = event.target.closest('.cite');
    if (cite) {
      later(() => {
        const p = document.getElementById(cite.getAttribute('popovertarget'));
        if (p && !p.matches(':popover-open')) { p.showPopover(); hovered = p; }
      }, 180);
    } else if (hovered) {
      if (event.target.closest('.popover') === hovered) clearTimeout(timer);
      else later(() => { if (hovered && hovered.matches(':popover-open')) hovered.hidePopover(); hovered = null; }, 280);
    } else clearTimeout(timer);
  });
  document.addEventListener('click', (event) => {
    if (!event.target.closest) return;
    // A click on a marker that hovering has opened keeps it open.
    const cite = event.target.closest('.cite');
    if (cite) clearTimeout(timer); // what hovering was about to open must not come after a click, or after Escape
    if (cite && hovered && cite.getAttribute('popovertarget') === hovered.id) { event.preventDefault(); hovered = null; return; }
    const copy = event.target.closest('[data-copy]');
    if (!copy) return;
    navigator.clipboard.writeText(copy.dataset.copy).then(() => {
      const text = copy.textContent;
      copy.textContent = copy.dataset.copied;
      setTimeout(() => { copy.textContent = text; }, 1600);
    }).catch(() => {});
  });

  // Only one menu is open at a time; Escape and a click elsewhere close it.
  const closeMenus = (except) => document.querySelectorAll('details.menu[open]').forEach((d) => { if (d !== except) d.open = false; });
  document.addEventListener('click', (event) => closeMenus(event.target.closest && event.target.closest('details.menu')));
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    clearTimeout(timer);
    const open = document.querySelector('details.menu[open]');
    if (open) { open.open = false; open.querySelector('summary').focus(); }
  });

  // Placeholders of the budget follow the depth.
  document.addEventListener('change', (event) => {
    const t = event.target;
    if (t.name !== 'depth' || !t.dataset.joules) return;
    for (const name of ['joules', 'dollars', 'seconds']) {
      const field = document.getElementById(name);
      if (field) field.placeholder = t.dataset[name];
    }
  });
  // Ctrl or Command with Enter starts the research.
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.id === 'question') event.target.form.requestSubmit();
  });

  // Ages of what is running, and what is left of waits.
  function tick() {
    for (const t of document.querySelectorAll('[data-since], [data-until]')) {
      const past = t.dataset.since !== undefined;
      const ms = past ? Date.now() - Date.parse(t.dataset.since) : Date.parse(t.dataset.until) - Date.now();
      const s = Math.max(0, past ? Math.floor(ms / 1000) : Math.ceil(ms / 1000));
      const form = s < 60 ? root.dataset.seconds : root.dataset.minutes;
      t.textContent = form.replace('#m', Math.floor(s / 60)).replace('#s', s % 60);
    }
  }
  setInterval(tick, 1000);

  // Live updates replace the inside of a part; what the reader opened stays open.
  const opened = new Map();
  document.addEventListener('htmx:beforeSwap', remember);
  document.addEventListener('htmx:sseBeforeMessage', remember);
  function remember(event) {
    const part = event.target;
    if (!part.querySelectorAll || !part.id) return;
    opened.set(part.id, [...part.querySelectorAll('details[open][id]')].map((d) => d.id));
  }
  for (const name of ['htmx:afterSwap', 'htmx:sseMessage']) {
    document.addEventListener(name, (event) => {
      for (const id of opened.get(event.target.id) || []) {
        const d = document.getElementById(id);
        if (d) d.open = true;
      }
      tick();
    });
  }
})();
