/** The actor of an entry of the audit log. */
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { Who } from '../../session/Who.tsx'
import { t } from './translations.ts'

export function Actor({ actor: { id, kind } }: Pick<AuditEntry, 'actor'>) {
  if (id !== null || kind === 'service') return <Who id={id} />
  return kind === 'anonymous' ? t('anonymous') : kind
}
