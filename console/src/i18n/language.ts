/** The language of the console: chosen in this browser, or preferred by it. */

export const languages = { en: 'English', de: 'Deutsch' } as const

export type Language = keyof typeof languages

/** The browser's. Programs of the service read this module for its types, without the DOM's. */
declare const location: { reload: () => void }

const KEY = 'mooring-language'

const isLanguage = (name: string | null | undefined): name is Language =>
  name !== null && name !== undefined && name in languages

function findLanguage(): Language {
  // Tests read modules of the console without a browser.
  if (!('document' in globalThis)) return 'en'
  const kept = localStorage.getItem(KEY)
  if (isLanguage(kept)) return kept
  return navigator.languages.map((each) => each.slice(0, 2)).find(isLanguage) ?? 'en'
}

/** It does not change while the page is open: drawn parts would keep their texts. */
export const language: Language = findLanguage()

/** For `Intl`: the language, with the region that this browser has it for. */
export const locale: string = !('document' in globalThis)
  ? language
  : (navigator.languages.find((each) => each.startsWith(language)) ?? language)

/** Loads the page again, with the texts of that language. */
export function setLanguage(next: Language): void {
  localStorage.setItem(KEY, next)
  location.reload()
}
