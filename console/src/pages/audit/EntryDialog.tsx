/** One entry of the audit log: the values before and after, and its place in the chain. */
import type { AuditEntry } from '../../../../sdk/schema.ts'
import { Diff } from '../../kit/Diff.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { exactTime, Id, Json } from '../../kit/Text.tsx'
import { Who } from '../../session/Who.tsx'
import { eventText, resourceOf } from '../events/event-labels.ts'
import { Actor } from './Actor.tsx'
import { t } from './translations.ts'

interface Changed {
  before?: unknown
  after?: unknown
}

/** The content of an entry besides the change itself. */
function restOf(detail: AuditEntry['detail']): Record<string, unknown> {
  const { before: _before, after: _after, ...rest } = detail as Changed & Record<string, unknown>
  return rest
}

interface EntryDialogProps {
  entry: AuditEntry
  onClose: () => void
}

export function EntryDialog({ entry, onClose }: EntryDialogProps) {
  const { before, after } = entry.detail as Changed
  const rest = restOf(entry.detail)
  const { resource, seq, hash, request_id } = entry
  const about = resourceOf(entry)
  return (
    <Dialog title={eventText(entry.action)} open wide onClose={onClose}>
      <Stack>
        <Facts
          facts={[
            [t('When'), exactTime(entry.occurred_at)],
            [t('By'), <Actor key="by" actor={entry.actor} />],
            [t('Action'), <code key="action">{entry.action}</code>],
            [t('Subject'), about === null ? undefined : <Who {...about} />],
            [t('Subject id'), resource === null ? undefined : <Id>{resource.id}</Id>],
            [t('From'), entry.address ?? undefined],
            [t('Request'), request_id === null ? undefined : <Id>{request_id}</Id>],
            [t('Place in the chain'), seq ?? t('not yet: entries are appended twice a second')],
            [t('Hash'), hash === null ? undefined : <Id>{hash}</Id>],
          ]}
        />
        {(before !== undefined || after !== undefined) && (
          <Diff before={before ?? {}} after={after ?? {}} />
        )}
        {Object.keys(rest).length > 0 && <Json label={t('More details')} value={rest} />}
      </Stack>
    </Dialog>
  )
}
