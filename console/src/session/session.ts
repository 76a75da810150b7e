/**
 * The session of this browser. The access token is kept in memory only; the refresh token is in a
 * cookie that scripts cannot read. Each tab has a token of its own: any document of this origin
 * receives the messages between tabs, the one that loads the script of the payment provider, too.
 */

export interface SessionResponse {
  access_token: string
  expires_in: number
  password_change_required?: boolean | undefined
}

export interface Session {
  /** `starting` until the first attempt to refresh; `expired` if a session ended in this tab. */
  status: 'starting' | 'in' | 'out' | 'expired'
  mustChangePassword: boolean
}

interface Token {
  value: string
  /** By `Date.now`. */
  expiresAt: number
  mustChangePassword: boolean
}

const REFRESH_EARLY_MS = 60_000

let token: Token | undefined
/** The user whose data this tab shows. */
let user: string | undefined
let session: Session = { status: 'starting', mustChangePassword: false }
const listeners = new Set<() => void>()
let channel: BroadcastChannel | undefined

function become(next: Session): void {
  session = next
  for (const listener of listeners) listener()
}

/** The user that an access token names. Only the service verifies it. */
function userOf(accessToken: string): string {
  const [, claims = ''] = accessToken.split('.')
  const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'))
  return (JSON.parse(text) as { sub: string }).sub
}

function take(next: Token): void {
  const nextUser = userOf(next.value)
  // Somebody else has signed in, here or in another tab: nothing of the former stays on the page.
  if (user !== undefined && user !== nextUser) return window.location.assign('/console/')
  user = nextUser
  token = next
  become({ status: 'in', mustChangePassword: next.mustChangePassword })
}

function end(): void {
  const was = session.status
  token = undefined
  become({ status: was === 'in' ? 'expired' : 'out', mustChangePassword: false })
}

const tokenOf = (response: SessionResponse): Token => ({
  value: response.access_token,
  expiresAt: Date.now() + response.expires_in * 1000,
  mustChangePassword: response.password_change_required === true,
})

/** Takes the tokens of a successful sign-in or proof. The other tabs get theirs by the cookie. */
export function acceptSession(response: SessionResponse): void {
  take(tokenOf(response))
  channel?.postMessage('changed')
}

function leave(): void {
  token = undefined
  become({ status: 'out', mustChangePassword: false })
}

/** After the person has signed out: in all tabs. */
export function dropSession(): void {
  leave()
  user = undefined
  channel?.postMessage('changed')
}

/** One tab at a time. Without a secure context there are no locks; the server then bears two. */
function locked<Value>(work: () => Promise<Value>): Promise<Value> {
  const { locks } = navigator as { locks?: LockManager }
  return locks === undefined ? work() : locks.request('mooring-refresh', work)
}

async function refreshOnce(): Promise<boolean> {
  const response = await fetch('/console/api/session/refresh', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  if (response.status === 401) {
    end()
    return false
  }
  if (!response.ok) throw new Error(`refreshing answered ${response.status}`)
  take(tokenOf((await response.json()) as SessionResponse))
  return true
}

/**
 * Gets a new access token from the cookie, unless this tab has just done so.
 * @returns false if there is no session
 * @throws Error if the service does not answer
 */
export function refreshSession(): Promise<boolean> {
  const before = token
  return locked(async () => (token !== undefined && token !== before ? true : refreshOnce()))
}

/** The present access token, refreshed if it is about to expire; '' without a session. */
export async function accessToken(): Promise<string> {
  const isOld = token === undefined || token.expiresAt - Date.now() < REFRESH_EARLY_MS
  if (isOld && session.status !== 'out') await refreshSession().catch(() => false)
  return token?.value ?? ''
}

export const presentSession = (): Session => session

export function onSession(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Somebody has signed in or out in another tab. The cookie decides; a message alone proves nothing.
 */
async function followOthers(): Promise<void> {
  const isIn = await refreshSession().catch(() => true)
  if (!isIn) leave()
}

/** Begins with what the browser has, and follows what happens in other tabs. */
export function startSession(): void {
  channel = new BroadcastChannel('mooring-session')
  channel.addEventListener('message', () => void followOthers())
  void refreshSession().catch(() => {})
}
