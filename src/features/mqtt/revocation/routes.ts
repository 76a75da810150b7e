/** Operations on receipts. */
import { operationGroup } from '../../../context.ts'
import { askReceipt, getReceipt } from './receipt.ts'
import { ReceiptView, WaitForReceipt } from './schema.ts'

const operation = operationGroup({ tag: 'MQTT', access: ['user', 'platform-key'] })

const path = '/workspaces/:id/mqtt/receipts'

export const mqttReceiptOperations = [
  operation({
    id: 'askReceipt',
    route: `POST ${path}`,
    summary: 'Request a receipt for all revocations',
    description:
      'Checks every live session of the workspace on every node, and reports when each session has only the rights of its current credentials. Use it after a bulk job.',
    permission: 'mqtt.secure',
    bucket: 'safety',
    returns: { 201: ReceiptView },
    created: { location: '/workspaces/{workspace_id}/mqtt/receipts/{id}' },
    run: (context) => askReceipt(context),
  }),
  operation({
    id: 'getReceipt',
    route: `GET ${path}/:receipt_id`,
    summary: 'Get a revocation receipt, or wait for it',
    description:
      'The `Link` header of a response to a revoking request contains its URL, with `rel="revocation-receipt"`. With `wait`, responds as soon as every node has verified the revocation or is gone, or after that number of seconds. Receipts are kept for 30 days.',
    permission: 'mqtt.read',
    isPlanFree: true,
    query: WaitForReceipt,
    returns: { 200: ReceiptView },
    fails: ['mqtt_receipt_not_found'],
    run: (context, { params, query }) => getReceipt(context, params.receipt_id, query.wait ?? 0),
  }),
]
