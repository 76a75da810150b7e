/** The public view of a principal. */
import { rowView } from '../../common/row-view.ts'
import { MqttPrincipalView } from './schema.ts'
import type { PrincipalRow } from './store.ts'

/** `now` is in milliseconds since the epoch. */
export const viewOf = rowView<PrincipalRow, [now: number]>()(MqttPrincipalView, {
  status({ status, expires_at }, now) {
    const isOver = expires_at !== null && expires_at <= now
    return status === 'active' && isOver ? 'expired' : status
  },
})
