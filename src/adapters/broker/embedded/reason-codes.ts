/** The codes of refusals and ends on the wire: MQTT 3.1.1, 3.2.2.3; MQTT 5.0, 2.4. */
import type { ConnectRefusal, Refusal, SessionEnd } from '../port.ts'

interface ConnackCodes {
  /** The return code of MQTT 3.1 and 3.1.1. */
  returnCode: number
  /** The reason code of MQTT 5. */
  reasonCode: number
}

/** `too_often`: the broker refuses it without asking the authority. */
export type BrokerRefusal = Refusal | 'too_often'

export interface Refused extends Omit<ConnectRefusal, 'reason'> {
  reason: BrokerRefusal
}

export const CONNACK_CODES: Readonly<Record<BrokerRefusal, ConnackCodes>> = {
  client_id_invalid: { returnCode: 2, reasonCode: 0x85 },
  bad_credentials: { returnCode: 4, reasonCode: 0x86 },
  not_authorized: { returnCode: 5, reasonCode: 0x87 },
  banned: { returnCode: 5, reasonCode: 0x8a },
  // Firmware treats 3 as a temporary refusal, and 5 as the end of its credentials.
  quota_exceeded: { returnCode: 3, reasonCode: 0x97 },
  busy: { returnCode: 3, reasonCode: 0x89 },
  unavailable: { returnCode: 3, reasonCode: 0x88 },
  too_often: { returnCode: 3, reasonCode: 0x9f },
}

/** The reason code of MQTT 5 for a message beyond a limit. */
export const QUOTA_EXCEEDED = 0x97

/** Reasons for which the broker ends a live session. */
export type EndReason = Exclude<SessionEnd, 'client' | 'stopping'>

/** The reason code of the DISCONNECT that MQTT 5 clients get. */
export const DISCONNECT_CODES: Readonly<Record<EndReason, number>> = {
  administrative: 0x98,
  not_authorized: 0x87,
  taken_over: 0x8e,
  too_slow: 0x97,
  in_flight_exceeded: 0x93,
  keepalive_timeout: 0x8d,
  malformed: 0x81,
}

/** Reasons by the code of a protocol error; codes that are not listed have `malformed`. */
export const PROTOCOL_CODES: Readonly<Record<number, EndReason>> = { 0x93: 'in_flight_exceeded' }

/** The reason code for clients that are connected when the process stops. */
export const SHUTTING_DOWN = 0x8b

/** The reason string of that DISCONNECT. */
export const DISCONNECT_TEXTS: Readonly<Record<EndReason | 'stopping', string>> = {
  administrative:
    'The service has ended the session. A new CONNECT says whether the client may connect.',
  not_authorized: 'The credentials of the client are not valid any more.',
  taken_over: 'Another connection uses the same client id.',
  too_slow: 'The client reads too slowly.',
  in_flight_exceeded: 'More messages were in flight than the Receive Maximum allows.',
  keepalive_timeout: 'Nothing came from the client during its keep alive interval.',
  malformed: 'A packet breaks the protocol or a limit: the reason code says which.',
  stopping: 'The server is shutting down. The client may connect again.',
}
