/** Operations on receipts. */
import { operation } from '../../../context.ts'
import { respond, idParam } from '../../../platform/http/operation.ts'
import { askReceipt, getReceipt } from './receipt.ts'
import { ReceiptView, WaitForReceipt } from './schema.ts'

const access = ['user', 'platform-key'] as const
const tag = 'MQTT'
const path = '/workspaces/:id/mqtt/receipts'
const workspace = { id: idParam('ws', 'workspace_not_found') }

export const mqttReceiptOperations = [
  operation({
    id: 'askReceipt',
    method: 'POST',
    path,
    tag,
    summary: 'Request a receipt for all revocations',
    description:
      'Checks every live session of the workspace on every node, and reports when each session has only the rights of its current credentials. Use it after a bulk job.',
    access,
    permission: 'mqtt.secure',
    bucket: 'safety',
    params: workspace,
    returns: { 201: ReceiptView },
    fails: [],
    async run(context) {
      const created = await askReceipt(context)
      const location = `/workspaces/${created.workspace_id}/mqtt/receipts/${created.id}`
      return respond(201, created, { location })
    },
  }),
  operation({
    id: 'getReceipt',
    method: 'GET',
    path: `${path}/:receipt_id`,
    tag,
    summary: 'Get a revocation receipt, or wait for it',
    description:
      'The `Link` header of a response to a revoking request contains its URL, with `rel="revocation-receipt"`. With `wait`, responds as soon as every node has verified the revocation or is gone, or after that number of seconds. Receipts are kept for 30 days.',
    access,
    permission: 'mqtt.read',
    isPlanFree: true,
    params: { ...workspace, receipt_id: idParam('rcp', 'mqtt_receipt_not_found') },
    query: WaitForReceipt,
    returns: { 200: ReceiptView },
    fails: ['mqtt_receipt_not_found'],
    run: async (context, { params, query }) =>
      respond(200, await getReceipt(context, params.receipt_id, query.wait ?? 0)),
  }),
]
