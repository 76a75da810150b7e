/** The keys of the console. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { hasSingleKeys } from '../session/preferences.ts'
import { listKeys } from './list-keys.ts'
import { below, navigation } from './navigation.tsx'

/** The layer above a page when a key asks for it. */
export type Floating = 'palette' | 'keys'

/** Pages, each with the letter that follows a `g`. */
export const goKeys = navigation.flatMap((each) => each.entries)

/** Elements that take letters themselves, or stand before the page. */
const TAKES_LETTERS =
  'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'

const isTaken = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest(TAKES_LETTERS) !== null)

/**
 * `g` and a letter go to a page, `Ctrl K` opens the palette, `?` lists the keys; others move within
 * the page. Keys without a modifier can be switched off: speech input and unsteady hands press them
 * unmeant.
 *
 * @param isWaiting whether what was asked for is still loaded: until then, letters are for it
 */
export function useKeys(
  slug: string | undefined,
  open: (what: Floating) => void,
  isWaiting: boolean,
): void {
  const navigate = useNavigate()
  useEffect(() => {
    let hasG = false
    const press = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        open('palette')
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return
      if (isWaiting || !hasSingleKeys()) return
      const entry = hasG ? goKeys.find(({ key }) => key === event.key) : undefined
      const within = hasG ? undefined : listKeys.find(({ key }) => key === event.key)
      if (entry && slug !== undefined) void navigate({ to: below(slug, entry.path) })
      if (within) {
        // Else the filter takes the slash that led to it.
        event.preventDefault()
        within.run()
      }
      if (event.key === '?') open('keys')
      hasG = event.key === 'g'
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [isWaiting, navigate, open, slug])
}
