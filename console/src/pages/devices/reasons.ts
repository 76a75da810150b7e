/** Why a connection was refused or ended: the event, and the advice that follows from it. */
import type { ConnectionAttempt, Device } from '../../../../sdk/schema.ts'
import { inWords, timeOfDay } from '../../kit/times.ts'
import { numberText } from '../../kit/numbers.ts'
import { language } from '../../i18n/language.ts'
import { momentText } from './moments.ts'
import { anotherOf, recentReplacements } from './replaced.ts'
import { t } from './translations.ts'

export interface Explained {
  what: string
  /** The remedy for a person; undefined if none is needed. */
  todo?: string
  /** The act of the device's page that does it. */
  act?: 'reset'
  /** The session that lasts, where all is well. */
  session?: ConnectionAttempt
}

const moreConnections = t('For a second connection at the same time append “:2”, for a third “:3”.')

const refusals: Readonly<Record<string, Explained>> = {
  bad_credentials: {
    what: t('Wrong password'),
    todo: t(
      'It used an old or mistyped password. Store the right one on it; if it is lost, reset its credentials.',
    ),
    act: 'reset',
  },
  other_domain: {
    what: t('Wrong host name'),
    todo: t(
      'It used the domain of another workspace, or one that is not for MQTT. Use the host of the Credentials tab.',
    ),
  },
  client_id_invalid: {
    what: t('Wrong client id'),
    todo: `${t('Use the id or the key of the device, or the user name of the login.')} ${moreConnections}`,
  },
  suspended: { what: t('Suspended'), todo: t('Resume it to let it connect.') },
  // Without the detail, as the audit log has it.
  banned: {
    what: t('Suspended or not approved'),
    todo: t('Resume or approve it to let it connect.'),
  },
  expired: { what: t('Expired'), todo: t('Set a later time of expiry.') },
  not_approved: { what: t('Not approved'), todo: t('Approve the device to let it connect.') },
  workspace_inactive: {
    what: t('Workspace not active'),
    todo: t(
      'The workspace is suspended or being deleted; its owner or the operator can change that.',
    ),
  },
  not_authorized: {
    what: t('Will not allowed'),
    todo: t(
      'Its will message goes to a topic that its rules forbid. Allow the topic, or change the will.',
    ),
  },
  quota_exceeded: {
    what: t('Plan is full'),
    todo: t(
      'Its credentials are right, but the plan lets no more devices connect at once. Disconnect others, or let an owner choose a larger plan.',
    ),
  },
  busy: {
    what: t('Service was busy'),
    todo: t('Too many connected at once; it may simply try again.'),
  },
  unavailable: {
    what: t('Service unavailable'),
    todo: t('The database did not answer; it may try again.'),
  },
}

const ends: Readonly<Record<string, string>> = {
  client: t('it disconnected, or its connection was lost'),
  administrative: t('it was disconnected by an operator, or its credentials changed'),
  not_authorized: t('its rights were revoked'),
  taken_over: t('another connection used the same client id'),
  too_slow: t('it read its messages too slowly'),
  in_flight_exceeded: t('it had too many unacknowledged messages'),
  keepalive_timeout: t('it was silent for longer than its keep-alive time'),
  malformed: t('it sent a malformed packet'),
  stopping: t('the service was restarted'),
}

/** The reason of a refusal in words. */
export const explainRefusal = (reason: string): Explained => refusals[reason] ?? { what: reason }

/** Behind a colon or among commas. German keeps its capitals: it has nouns there. */
export const withinSentence = (what: string): string =>
  language === 'en' ? what.toLowerCase() : what

type Named = Pick<Device, 'id' | 'device_key'>

type ClientIds = Record<'used' | 'key' | 'id', string>

const oneInvalid = (ids: ClientIds): string =>
  ids.used === ''
    ? t('It sent an empty one. Use “{key}” or “{id}”.', ids)
    : t('It used “{used}”. Use “{key}” or “{id}”.', ids)

/** Refusals that are counted together may be of different client ids: the last one is known. */
const severalInvalid = (ids: ClientIds): string =>
  ids.used === ''
    ? t('It sent an empty one the last time. Use “{key}” or “{id}”.', ids)
    : t('It used “{used}” the last time. Use “{key}” or “{id}”.', ids)

/** A refusal in words; an accepted connection is `Accepted`. */
export function explainAttempt(
  { accepted, reason, client_id, attempts }: ConnectionAttempt,
  { id, device_key }: Named,
): Explained {
  if (accepted) return { what: t('Accepted') }
  if (reason === 'client_id_invalid') {
    const values = { used: client_id, key: device_key, id }
    const todo = attempts > 1 ? severalInvalid(values) : oneInvalid(values)
    return { what: refusals.client_id_invalid?.what ?? '', todo: `${todo} ${moreConnections}` }
  }
  return explainRefusal(reason ?? t('Refused'))
}

/** Why a session has ended. That the service stopped is known afterwards, and not when. */
const endOf = ({ ended_at, end_reason }: ConnectionAttempt): string =>
  ended_at === null
    ? t('the service stopped meanwhile')
    : (ends[end_reason ?? ''] ?? end_reason ?? t('for an unknown reason'))

/** For how long an accepted connection was there, and how it ended. */
export function explainDuration(attempt: ConnectionAttempt): string {
  const { at, duration_s, session } = attempt
  if (session === 'open') {
    return t('{duration}; still connected', { duration: inWords(Date.now() - Date.parse(at)) })
  }
  if (session !== 'ended') return t('unknown: its end was not reported')
  const end = endOf(attempt)
  return duration_s === null
    ? t('unknown: {end}', { end })
    : t('{duration}, then {end}', { duration: inWords(duration_s * 1000), end })
}

/** Why sessions with one client id ended one after the other, each replaced by the next. */
export const explainRun = ({ client_id }: ConnectionAttempt): string =>
  t(
    'Each time another connection used the same client id. If two programs use it, stop one of them, or let it connect as “{id}”.',
    { id: anotherOf(client_id) },
  )

/** Since when it is offline, and why. */
function explainOffline(last: ConnectionAttempt): string {
  const end = endOf(last)
  return last.ended_at === null
    ? t('Offline, since when is not known: {end}.', { end })
    : t('Offline since {time}: {end}.', { time: momentText(last.ended_at), end })
}

/** Two programs take the connection from each other, or did so until now; otherwise undefined. */
function explainReplaced(attempts: readonly ConnectionAttempt[]): Explained | undefined {
  const replaced = recentReplacements(attempts, Date.now())
  if (replaced === undefined) return undefined
  const { count, first, last, isOver, client_id } = replaced
  const n = numberText(count)
  if (isOver) {
    const values = { n, time: timeOfDay(last) }
    return {
      what: t(
        'It is connected. Until {time}, two programs with its client id replaced each other {n} times.',
        values,
      ),
    }
  }
  return {
    what: t('Replaced {n} times within {duration}: two programs seem to use its client id.', {
      n,
      duration: inWords(Date.now() - first),
    }),
    todo: t('Stop one of them, or let it connect as “{id}”.', { id: anotherOf(client_id) }),
  }
}

function explainConnected(attempts: readonly ConnectionAttempt[]): Explained {
  const present = attempts.find(({ session }) => session === 'open')
  return { what: t('It is connected.'), ...(present && { session: present }) }
}

/**
 * Why a device is or is not connected: its status first, then its last attempt.
 * @param attempts the newest first; undefined until they were read
 * @param hasPassword undefined until that was read
 * @returns undefined while it depends on them
 */
export function explainDevice(
  device: Device,
  attempts: readonly ConnectionAttempt[] | undefined,
  hasPassword: boolean | undefined,
): Explained | undefined {
  const { connected, status, approval } = device
  if (connected) return explainReplaced(attempts ?? []) ?? explainConnected(attempts ?? [])
  if (status === 'decommissioned') {
    return { what: t('It is decommissioned: its credentials are deleted permanently.') }
  }
  if (status === 'suspended') {
    return { what: t('It is suspended, so it is refused.'), todo: refusals.suspended?.todo }
  }
  if (approval !== 'approved') {
    const what = approval === 'pending' ? t('It awaits approval.') : t('It was rejected.')
    return { what, todo: refusals.not_approved?.todo }
  }
  if (attempts === undefined || hasPassword === undefined) return undefined
  if (!hasPassword) {
    return {
      what: t('It has no credentials, so it cannot connect.'),
      todo: t('Create them, and store them on the device.'),
      act: 'reset',
    }
  }
  const [last] = attempts
  if (last === undefined) {
    return {
      what: t('It has never tried to connect.'),
      todo: t('Check, in this order: host and port, TLS, user name and password, client id.'),
    }
  }
  if (last.session === 'unknown') {
    return { what: t('Its last connection was accepted. Its end was not reported.') }
  }
  if (last.accepted) {
    return { what: last.session === 'open' ? t('It has just disconnected.') : explainOffline(last) }
  }
  // That is over: the status, which was examined above, says so.
  if (last.reason === 'suspended' || last.reason === 'not_approved') {
    return { what: t('It may connect again. It has not tried since then.') }
  }
  const { what, todo, act } = explainAttempt(last, device)
  const within = withinSentence(what)
  return {
    what: t('Its last attempt was refused: {what}.', { what: within }),
    ...(todo && { todo }),
    ...(act && { act }),
  }
}
