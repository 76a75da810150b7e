/**
 * The data that the console gives to the document in which a person pays. It is kept for this tab
 * only, and not in the address: no link that others send can make anybody pay in a workspace of
 * theirs.
 */

export type Purpose = 'method' | 'invoice' | 'top-up'

export interface Handover {
  /** Accepted by the operations that pay, in this workspace, for some minutes. */
  token: string
  /** By `Date.now`. */
  expiresAt: number
  workspace: { id: string; slug: string; name: string }
  /** To be paid, for that purpose. */
  invoiceId?: string
}

const KEY = 'mooring-payment'

export const giveHandover = (handover: Handover): void =>
  sessionStorage.setItem(KEY, JSON.stringify(handover))

/** It stays until the tab is closed, so that the page can be loaded again. */
export function lastHandover(): Handover | undefined {
  const kept = sessionStorage.getItem(KEY)
  return kept === null ? undefined : (JSON.parse(kept) as Handover)
}

export const hasExpired = ({ expiresAt }: Handover): boolean => expiresAt <= Date.now()

export const dropHandover = (): void => sessionStorage.removeItem(KEY)
