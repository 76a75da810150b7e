/** The preferences of a person in this browser. */

export type Theme = 'system' | 'light' | 'dark'

const KEY = 'mooring-theme'
const COLUMNS = 'mooring-device-columns'

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

const SINGLE_KEYS = 'mooring-single-keys'

/** Whether keys without a modifier do something. */
export const hasSingleKeys = (): boolean => localStorage.getItem(SINGLE_KEYS) !== 'off'

export const setSingleKeys = (isOn: boolean): void =>
  localStorage.setItem(SINGLE_KEYS, isOn ? 'on' : 'off')

/** The columns of the list of devices; null until some were chosen. */
export function deviceColumns(): readonly string[] | null {
  const kept = localStorage.getItem(COLUMNS)
  return kept === null || kept === '' ? null : kept.split(',')
}

export const setDeviceColumns = (columns: readonly string[]): void =>
  localStorage.setItem(COLUMNS, columns.join())

const WORKSPACE = 'mooring-workspace'

/** The id of the workspace that was used last in this browser. */
export const lastWorkspace = (): string | null => localStorage.getItem(WORKSPACE)

export const setLastWorkspace = (id: string): void => localStorage.setItem(WORKSPACE, id)
