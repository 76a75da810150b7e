/** Why a connection was refused or ended: what happened, and what to do about it. */
import type { ConnectionAttempt, Device } from '../../../../sdk/schema.ts'

export interface Explained {
  what: string
  /** What a person can do; undefined if nothing has to be done. */
  todo?: string
}

const refusals: Readonly<Record<string, Explained>> = {
  bad_credentials: {
    what: 'Wrong password',
    todo: 'It used an old or mistyped password. Store the right one on it; if it is lost, reset its credentials.',
  },
  other_domain: {
    what: 'Wrong host name',
    todo: 'It used the domain of another workspace, or one that is not for MQTT. Use the host of the Credentials tab.',
  },
  client_id_invalid: {
    what: 'Wrong client id',
    todo: 'Use the id or the key of the device; further connections append “:” and a suffix.',
  },
  suspended: { what: 'Suspended', todo: 'Resume the device to let it connect.' },
  expired: { what: 'Expired', todo: 'Set a later time of expiry.' },
  not_approved: { what: 'Not approved', todo: 'Approve the device to let it connect.' },
  workspace_inactive: {
    what: 'Workspace not active',
    todo: 'The workspace is suspended or being deleted; its owner or the operator can change that.',
  },
  not_authorized: {
    what: 'Will not allowed',
    todo: 'Its will message goes to a topic that its rules forbid. Allow the topic, or change the will.',
  },
  quota_exceeded: {
    what: 'Plan is full',
    todo: 'Its credentials are right, but the plan lets no more devices connect at once. Disconnect others, or let an owner choose a larger plan; so far, only the API does that.',
  },
  busy: { what: 'Service was busy', todo: 'Too many connected at once; it may simply try again.' },
  unavailable: {
    what: 'Service unavailable',
    todo: 'The database did not answer; it may try again.',
  },
}

const ends: Readonly<Record<string, string>> = {
  client: 'it disconnected, or its connection was lost',
  administrative: 'it was disconnected by an operator, or its credentials changed',
  not_authorized: 'its rights were revoked',
  taken_over: 'another connection used the same client id',
  too_slow: 'it read its messages too slowly',
  in_flight_exceeded: 'it had too many unacknowledged messages',
  keepalive_timeout: 'it was silent for longer than its keep-alive time',
  malformed: 'it sent a malformed packet',
  stopping: 'the service was restarted',
}

/** The reason of a refusal in words. */
export const explainRefusal = (reason: string): Explained => refusals[reason] ?? { what: reason }

type Named = Pick<Device, 'id' | 'device_key'>

/** A refusal in words; an accepted connection is `Accepted`. */
export function explainAttempt(
  { accepted, reason, client_id }: ConnectionAttempt,
  { id, device_key }: Named,
): Explained {
  if (accepted) return { what: 'Accepted' }
  if (reason === 'client_id_invalid') {
    const used = client_id === '' ? 'It sent an empty one.' : `It used “${client_id}”.`
    const todo = `${used} Use “${device_key}” or “${id}”; further connections append “:” and a suffix.`
    return { what: refusals.client_id_invalid?.what ?? '', todo }
  }
  return explainRefusal(reason ?? 'Refused')
}

/** Why a session ended; undefined while it lasts. */
export const explainEnd = ({ ended_at, end_reason }: ConnectionAttempt): string | undefined =>
  ended_at === null ? undefined : (ends[end_reason ?? ''] ?? end_reason ?? 'unknown')

/** Why a device is or is not connected: its status first, then its last attempt. */
export function explainDevice(device: Device, last: ConnectionAttempt | undefined): Explained {
  const { connected, status, approval } = device
  if (connected) return { what: 'It is connected.' }
  if (status === 'decommissioned') {
    return { what: 'It is decommissioned: its credentials are gone for good.' }
  }
  if (status === 'suspended') {
    return { what: 'It is suspended, so it is refused.', todo: refusals.suspended?.todo }
  }
  if (approval !== 'approved') {
    const what = approval === 'pending' ? 'It awaits approval.' : 'It was rejected.'
    return { what, todo: refusals.not_approved?.todo }
  }
  if (last === undefined) {
    return {
      what: 'It has never tried to connect.',
      todo: 'Check, in this order: host and port, TLS, user name and password, client id.',
    }
  }
  if (last.accepted) return { what: `It was connected until ${explainEnd(last) ?? 'now'}.` }
  // That is over: the status, which was examined above, says so.
  if (last.reason === 'suspended' || last.reason === 'not_approved') {
    return { what: 'It may connect again. It has not tried since then.' }
  }
  const { what, todo } = explainAttempt(last, device)
  return { what: `Its last attempt was refused: ${what.toLowerCase()}.`, ...(todo && { todo }) }
}
