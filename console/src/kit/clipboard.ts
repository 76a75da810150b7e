/** Copying text, for buttons that say that it was done. */
import { useEffect, useState } from 'react'

/** Pages on plain http have no clipboard; a selection that is copied works there too. */
export async function copy(text: string): Promise<void> {
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (clipboard !== undefined) return clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

const COPIED_MS = 1500

/** @returns whether it was copied a moment ago, and what copies it */
export function useCopy(text: string): [isCopied: boolean, copy: () => void] {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return [isCopied, () => void copy(text).then(() => setCopied(true))]
}
