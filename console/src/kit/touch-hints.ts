/**
 * A finger sees no hint of the browser: times and truncated names show theirs when they are tapped.
 */
import { useEffect } from 'react'
import { say } from './Overlay.tsx'

function showHint({ target }: MouseEvent): void {
  if (!window.matchMedia('(hover: none)').matches || !(target instanceof Element)) return
  const hinted = target.closest<HTMLElement>('time[title], span[title]')
  // A link or a button does what it is for.
  if (hinted !== null && hinted.closest('a, button') === null) say(hinted.title)
}

export function useTouchHints(): void {
  useEffect(() => {
    document.addEventListener('click', showHint)
    return () => document.removeEventListener('click', showHint)
  }, [])
}
