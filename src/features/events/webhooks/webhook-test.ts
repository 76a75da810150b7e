/** Test deliveries: one immediate request, outside any order. */
import type { Context } from '../../../context.ts'
import { found } from '../../../platform/errors/errors.ts'
import { formatId, newUuid } from '../../../platform/lib/ids.ts'
import { isDelivered, sendWebhook } from '../../../adapters/webhook-sender/sender.ts'
import { signedHeaders } from '../../../adapters/webhook-sender/signature.ts'
import { resolveTarget } from '../../../adapters/webhook-sender/target.ts'
import { timestamp } from '../../common/shapes.ts'
import { targetFailureOf } from './delivery.ts'
import type { TestResult } from './schema.ts'
import * as store from './store.ts'
import type { WebhookServices } from './webhook.ts'
import { decryptSecrets } from './webhook-secrets.ts'

type TestContext = Context & WebhookServices

const UNSENT = { ok: false, status: null, body: '', took_ms: 0 }

export async function testWebhook(context: TestContext, id: string): Promise<TestResult> {
  const { db, clock, keyring, workspaceId, webhookTargets, webhookTimeoutMs } = context
  const row = found(await store.findWebhook.first(db, { workspaceId, id }), 'webhook_not_found')
  const eventId = formatId('evt', newUuid())
  const body = JSON.stringify({
    id: eventId,
    type: 'webhook.test',
    workspace_id: formatId('ws', workspaceId),
    occurred_at: timestamp(clock.now()),
    data: { webhook_id: formatId('whk', id) },
  })
  const secrets = decryptSecrets(keyring, row)(clock.now())
  const headers = signedHeaders(eventId, clock.now(), body, secrets)
  try {
    const target = await resolveTarget(new URL(row.url), webhookTargets)
    const sent = await sendWebhook(target, headers, body, { timeoutMs: webhookTimeoutMs })
    return {
      ok: isDelivered(sent),
      status: sent.status ?? null,
      failure: sent.failure ?? null,
      body: sent.body,
      took_ms: sent.tookMs,
    }
  } catch (error) {
    return { ...UNSENT, failure: targetFailureOf(error) }
  }
}
