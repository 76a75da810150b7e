/** The entry of a list that the address names and a dialog shows. */
import { useState } from 'react'

/**
 * New entries may push it out of the list while it is read: it is held as long as it is named.
 * @param found in the list
 * @param id that the address names
 */
export function useHeld<Item extends { id: string }>(
  found: Item | undefined,
  id: string | undefined,
): Item | undefined {
  const [held, setHeld] = useState<Item>()
  const shown = found ?? (held?.id === id ? held : undefined)
  if (shown !== undefined && shown.id !== held?.id) setHeld(shown)
  return shown
}
