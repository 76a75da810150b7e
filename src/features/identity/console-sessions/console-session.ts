/**
 * Sessions of the web console. They follow the rules of all sessions; but the refresh token is kept
 * in a cookie that scripts cannot read, and so is the token of a known device.
 */
import type { AnyContext } from '../../../context.ts'
import type { Db } from '../../../platform/database/connect.ts'
import { Failure } from '../../../platform/errors/errors.ts'
import type { Origin } from '../../../platform/record/event.ts'
import { DAY_S, HOUR_S } from '../../../platform/lib/time.ts'
import {
  endByRefreshToken,
  openSession,
  type ProvenUser,
  type SignedIn,
  type Tokens,
} from '../sessions/session.ts'
import { countMissing } from '../sessions/refresh.ts'
import { logIn, refresh, verifyMfa } from '../sign-in/login.ts'
import type { ConsoleSession } from '../../common/console-session.ts'
import type * as schema from './schema.ts'
import { signInWithPasskey } from '../passkeys/passkey-proof.ts'
import { relyingPartyOf } from '../passkeys/relying-party.ts'
import { isSetupOpen } from '../one-time-links/one-time-link.ts'

export { beginPasskeySignIn as beginPasskeySession } from '../passkeys/passkey-proof.ts'

const SESSION = 'mooring-console'
const KNOWN_DEVICE = 'mooring-known-device'
/** As long as a session lives without a refresh. */
const STAY_SECONDS = 30 * DAY_S
const KNOWN_DEVICE_SECONDS = 180 * DAY_S
const BRIEF_SECONDS = 12 * HOUR_S
/** Before the refresh token of a session that stays. */
const STAY_MARK = 'stay.'

/** After which a session ends, however often it is refreshed; null: when all do. */
const lifetimeOf = (stay: boolean): number | null => (stay ? null : BRIEF_SECONDS)

/** The members that the page may read. */
const viewOf = ({ refresh_token: _secret, ...session }: Tokens): ConsoleSession => session

function keepToken({ request }: AnyContext, token: string, stay: boolean): void {
  const value = stay ? STAY_MARK + token : token
  request.cookies?.set(SESSION, value, stay ? STAY_SECONDS : null)
}

/** Gives a new session to the browser. */
function keepSession(context: AnyContext, session: SignedIn, stay: boolean): ConsoleSession {
  const { known_device_token: knownDevice, ...tokens } = session
  keepToken(context, session.refresh_token, stay)
  context.request.cookies?.set(KNOWN_DEVICE, knownDevice, KNOWN_DEVICE_SECONDS)
  return viewOf(tokens)
}

/**
 * Opens a session for someone who has just proved an address or a password by other means.
 * @returns what gives the session to the browser, to be called after the commit; undefined if the
 *   account has changed since
 */
export async function openForBrowser(
  context: AnyContext,
  trx: Db,
  origin: Origin,
  proven: Pick<ProvenUser, 'userId' | 'version'> & Partial<ProvenUser>,
  stay = false,
): Promise<(() => ConsoleSession) | undefined> {
  const session = await openSession(context, trx, origin, {
    mfa: false,
    userAgent: context.request.userAgent,
    limitedTo: context.request.hostWorkspaceId ?? null,
    lifetimeSeconds: lifetimeOf(stay),
    ...proven,
  })
  return session && (() => keepSession(context, session, stay))
}

function knownDeviceOf({ request }: AnyContext): { known_device_token?: string } {
  const token = request.cookies?.read(KNOWN_DEVICE)
  return token === undefined ? {} : { known_device_token: token }
}

/**
 * @throws Failure invalid_credentials, initial_password_expired, too_many_attempts, rate_limited
 */
export async function openConsoleSession(
  context: AnyContext,
  { stay = false, ...input }: schema.OpenConsoleSession,
): Promise<schema.OpenedConsoleSession> {
  const login = { ...input, ...knownDeviceOf(context) }
  const found = await logIn(context, login, lifetimeOf(stay))
  return 'mfa_required' in found ? found : keepSession(context, found, stay)
}

/** @throws Failure mfa_code_rejected, too_many_attempts, rate_limited */
export async function verifyConsoleMfa(
  context: AnyContext,
  { stay = false, ...input }: schema.VerifyConsoleMfa,
): Promise<ConsoleSession> {
  const given = { ...input, ...knownDeviceOf(context) }
  return keepSession(context, await verifyMfa(context, given, lifetimeOf(stay)), stay)
}

/** @throws Failure passkey_rejected, passkeys_unavailable, rate_limited */
export async function openPasskeySession(
  context: AnyContext,
  { stay = false, ...given }: schema.OpenPasskeySession,
): Promise<ConsoleSession> {
  const { known_device_token: device } = knownDeviceOf(context)
  const session = await signInWithPasskey(context, given, device, lifetimeOf(stay))
  return keepSession(context, session, stay)
}

/** The refresh token of the browser, and whether its session stays. */
function keptToken({ request }: AnyContext): { token: string; stay: boolean } | undefined {
  const value = request.cookies?.read(SESSION)
  if (value === undefined) return undefined
  const stay = value.startsWith(STAY_MARK)
  return { token: stay ? value.slice(STAY_MARK.length) : value, stay }
}

/** @throws Failure refresh_token_rejected, refresh_token_reused, rate_limited */
export async function refreshConsoleSession(context: AnyContext): Promise<ConsoleSession> {
  const kept = keptToken(context)
  if (kept === undefined) return countMissing(context)
  try {
    const tokens = await refresh(context, kept.token)
    keepToken(context, tokens.refresh_token, kept.stay)
    return viewOf(tokens)
  } catch (error) {
    if (error instanceof Failure && error.status === 401) context.request.cookies?.clear(SESSION)
    throw error
  }
}

/** Ends the session of the browser, if it has one. */
export async function closeConsoleSession(context: AnyContext): Promise<void> {
  const { request } = context
  const kept = keptToken(context)
  if (kept !== undefined) {
    const origin = { requestId: request.id, address: request.address }
    await endByRefreshToken(context, origin, kept.token, request.hostWorkspaceId)
  }
  request.cookies?.clear(SESSION)
}

export async function getConsoleConfig({
  db,
  mqttDurable,
  payments,
  request,
  webConsole,
}: AnyContext): Promise<schema.ConsoleConfig> {
  const { version, registration, hasMail, hasInstallation } = webConsole
  return {
    version,
    registration,
    mail: hasMail,
    installation: hasInstallation,
    mqtt_durable: mqttDurable,
    // They send people back to the address of the console, not to the domain of a workspace.
    sso: request.hostWorkspaceId === undefined ? [...webConsole.sso] : [],
    setup_open: await isSetupOpen(db),
    passkey_origin: relyingPartyOf(webConsole)?.origin ?? null,
    stripe_key: (payments.kind === 'charging' && payments.publishableKey) || null,
  }
}
