/** Who did what: the audit log, its hash chain, and its export. */
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { filters } from '../../../../sdk/filters.ts'
import { escaped, tokensOf } from '../../api/filter.ts'
import { useList } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { readFile } from '../../api/rows.ts'
import { Button } from '../../kit/Button.tsx'
import { FilterEditor } from '../../kit/FilterEditor.tsx'
import { Row, Stack } from '../../kit/Layout.tsx'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { download } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { EntryTable } from './EntryTable.tsx'
import { Chain } from './Chain.tsx'
import { t } from './words.ts'

/** For entries that are no events. */
const SLOW_MS = 15_000

/** A word alone: an action, an id, or the beginning of an action. */
function filterOf(text: string): string {
  const [token, more] = tokensOf(text)
  if (token?.kind !== 'field' || token.text !== text || more !== undefined) return text
  const word = escaped(text)
  if (/^[a-z]+_[0-7][0-9a-z]{25}$/.test(text)) return `actor = "${word}" OR resource = "${word}"`
  return text.includes('.') ? `action = "${word}"` : `action = "${word}*"`
}

/** The whole chain, as a file that can be verified without the service. */
function Export() {
  const { id, slug } = useWorkspace()
  const blocked = useBlocked('exportAuditLog')
  const get = useMutation<Blob, Problem>({
    mutationFn: () => readFile('exportAuditLog', { params: { id } }, 'application/x-ndjson'),
    onSuccess: (file) => download(`${slug}-audit-log.ndjson`, file),
  })
  return (
    <>
      {get.error !== null && <ProblemNote problem={get.error} />}
      <Button
        icon={<Download size={15} />}
        blocked={blocked}
        busy={get.isPending}
        onClick={() => get.mutate()}
      >
        {t('Export')}
      </Button>
    </>
  )
}

function Log() {
  const { id } = useWorkspace()
  const [{ filter = '' }, setState] = useSearchState<{ filter: string }>()
  const query = { limit: 100, ...(filter !== '' && { filter }) }
  const options = { isLive: true, refetchInterval: SLOW_MS }
  const list = useList('listAuditLog', { params: { id }, query }, options)
  return (
    <Stack tight>
      <Row>
        <FilterEditor
          label={t('Filter of the audit log')}
          placeholder={t('e.g. device.suspended, or actor = usr_… AND occurred_at > 2026-01-01')}
          value={filter}
          fields={filters.listAuditLog}
          problem={list.error}
          onTyped={() => {}}
          onSubmit={(text) => setState({ filter: filterOf(text) })}
        />
      </Row>
      <EntryTable list={list} log="listAuditLog" workspaceId={id}>
        {t('Each change of the workspace has an entry, with who made it and from where.')}
      </EntryTable>
    </Stack>
  )
}

export default function AuditPage() {
  const blocked = useBlocked('listAuditLog')
  if (blocked !== undefined) return <ForbiddenPage title={t('Audit log')} why={blocked} />
  return (
    <Page title={t('Audit log')} actions={<Export />}>
      <Stack>
        <Chain />
        <Log />
      </Stack>
    </Page>
  )
}
