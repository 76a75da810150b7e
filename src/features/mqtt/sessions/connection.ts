/** The rules of live connections: how staff and backends see and end them. */
import { type Context, originOf } from '../../../context.ts'
import { found } from '../../../platform/errors/errors.ts'
import { record } from '../../../platform/record/record.ts'
import { formatId } from '../../../platform/lib/ids.ts'
import { listFiltered } from '../../common/filtered-list.ts'
import { announceDisconnects, issueDisconnectReceipt } from './connection-disconnect.ts'
import * as store from './store.ts'
import { connectionFields, ConnectionView, type ListConnections } from './schema.ts'
import { rowView } from '../../common/row-view.ts'
import { readerOf } from '../../common/resource.ts'

const viewOf = rowView<store.ConnectionRow>()(ConnectionView)

export const listConnections = (context: Context, query: ListConnections) =>
  listFiltered(context, query, {
    name: 'mqtt-connections',
    fields: connectionFields,
    pageOf: store.pageOfConnections,
    view: viewOf,
  })

const read = readerOf(store.findConnection, 'mqtt_connection_not_found')

export const getConnection = async (context: Context, id: string): Promise<ConnectionView> =>
  viewOf(await read(context.db, context, id))

/** Ends one session within a second, wherever it is held. Its client may come back at once. */
export async function disconnectConnection(context: Context, connectionId: string): Promise<void> {
  const { db, feed, workspaceId } = context
  await db.transaction(async (trx) => {
    const row = found(
      await store.findConnection.first(trx, { workspaceId, id: connectionId }),
      'mqtt_connection_not_found',
    )
    await announceDisconnects({ feed }, trx, workspaceId, [connectionId])
    await issueDisconnectReceipt(context, trx)
    const { principal_id, client_id, address } = row
    await record(trx, originOf(context), {
      workspaceId,
      action: 'mqtt_connection.cut',
      resource: { kind: 'mqtt_connection', id: formatId('con', connectionId) },
      data: { principal_id, client_id, address },
    })
  })
}
