/** What a person prefers in this browser. */

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'mooring-theme'

export function theme(): Theme {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function setTheme(next: Theme): void {
  localStorage.setItem(KEY, next)
  applyTheme()
}

/** Applies the kept theme to the document. */
export function applyTheme(): void {
  const present = theme()
  if (present === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = present
}
