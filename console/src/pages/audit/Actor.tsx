/** Who has made an entry of the audit log. */
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { Who } from '../../session/Who.tsx'

export const Actor = ({ actor }: Pick<AuditEntry, 'actor'>) =>
  actor.id === null && actor.kind !== 'service' ? actor.kind : <Who id={actor.id} />
