/** Restores the sessions and retained messages that an earlier process has stored. */
import { newUuid } from '../../../platform/lib/ids.ts'
import type { KeptDelivery, KeptWill, Restored, RestoredSession } from '../store-port.ts'
import { compiledOnce } from '../topics.ts'
import type { MqttSession } from './client.ts'
import { sessionName } from './client-id.ts'
import type { Deliveries } from './delivery.ts'
import { messageOf } from './durability.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Outgoing } from './outgoing-queue.ts'
import type { RetainedMessages } from './retained-messages.ts'
import type { Subscribing } from './subscribing.ts'
import type { Will } from './codec/packets.ts'

export interface RestoreParts {
  lifecycle: Lifecycle
  subscribing: Subscribing
  deliveries: Deliveries
  retained: RetainedMessages
}

function willOf(kept: KeptWill): Will {
  const message = messageOf(kept, kept.retain)
  message.responseTopic = kept.responseTopic
  return { message, delay: kept.delay, expiry: kept.expiry }
}

export function restore(parts: RestoreParts, { sessions, retained }: Restored): void {
  for (const message of retained) parts.retained.restore(message)
  // All members of shared subscriptions are restored before messages that they may hand on.
  const back = sessions.map((kept) => ({ kept, session: restoreSession(parts, kept) }))
  for (const { kept, session } of back) {
    parts.deliveries.restore(
      session,
      kept.deliveries.map((delivery) => outgoingOf(parts, session, kept, delivery)),
    )
    parts.lifecycle.restored(session, kept.awayAt)
  }
}

function restoreSession({ lifecycle, subscribing }: RestoreParts, kept: RestoredSession) {
  const { workspaceId, id, grant, clientId, protocolVersion, incarnation } = kept
  const info = {
    sessionId: newUuid(),
    incarnation,
    grant,
    clientId,
    address: '',
    protocolVersion,
    connectedAt: kept.awayAt,
  }
  const name = sessionName(grant, clientId)
  const session = lifecycle.create(name, info, compiledOnce(grant.rules))
  session.key = { workspaceId, id }
  session.expirySeconds = kept.expirySeconds
  session.will = kept.will && willOf(kept.will)
  if (kept.received.length > 0) session.received = new Set(kept.received)
  for (const subscription of kept.subscriptions) subscribing.restore(session, subscription)
  return session
}

function outgoingOf(
  { subscribing }: RestoreParts,
  session: MqttSession,
  { unsentFrom }: RestoredSession,
  kept: KeptDelivery,
): Outgoing {
  const { qos, retain, identifiers, share, isReleased, seq, packetId } = kept
  return {
    message: isReleased ? undefined : messageOf(kept, false),
    qos,
    retain,
    identifiers,
    group: share === undefined ? undefined : subscribing.shareOf(session, share),
    id: packetId,
    isSent: unsentFrom === 0 || seq < unsentFrom,
    isReleased,
    isHeld: false,
    seq,
  }
}
