/** The dialog of a list that makes a thing, which a link can open: `?dialog=new`. */
import { useState } from 'react'
import { useSearchState } from './search-state.ts'

/** The search of a link to a list whose dialog it opens. */
export const WITH_NEW = { dialog: 'new' }

export interface NewDialog {
  isOpen: boolean
  open: () => void
  close: () => void
}

export function useNewDialog(): NewDialog {
  const [{ dialog }, change] = useSearchState<typeof WITH_NEW>()
  const [isOpen, setOpen] = useState(dialog === WITH_NEW.dialog)
  const close = (): void => {
    setOpen(false)
    // Read again, the address shows the list.
    if (dialog !== undefined) change({ dialog: undefined })
  }
  return { isOpen, open: () => setOpen(true), close }
}
