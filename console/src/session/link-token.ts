/**
 * The token of a one-time link (`#token=…`). It is taken out of the address at once, so that it is
 * neither in the history nor in a picture of the window, and is kept in the memory of this tab.
 */
import { useSyncExternalStore } from 'react'

interface Taken {
  path: string
  token: string
}

const listeners = new Set<() => void>()

function take(): Taken | undefined {
  const { hash, pathname, search } = window.location
  const token = new URLSearchParams(hash.slice(1)).get('token')
  if (token === null || token === '') return undefined
  window.history.replaceState(window.history.state, '', pathname + search)
  return { path: pathname, token }
}

// Before the router reads the address: this module is imported first.
let taken = take()

// A second link may be opened in the same tab, without a new document.
window.addEventListener('hashchange', () => {
  taken = take() ?? taken
  for (const listener of listeners) listener()
})

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const present = (): string | undefined =>
  taken?.path === window.location.pathname ? taken.token : undefined

/** Puts the token back into the address, for a reload: that takes it out again. */
export function returnLinkToken(): void {
  const token = present()
  if (token === undefined) return
  window.history.replaceState(window.history.state, '', `#${new URLSearchParams({ token })}`)
}

/** The token of the link that has led to this page; undefined if there was none. */
export const useLinkToken = (): string | undefined => useSyncExternalStore(subscribe, present)
