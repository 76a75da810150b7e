/** The audit log, its hash chain, and its export. */
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { listAuditLogFields } from '../../../../sdk/filters.ts'
import { labelled } from '../../api/filter.ts'
import { call } from '../../api/client.ts'
import { useList } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { readFile } from '../../api/rows.ts'
import { Button } from '../../kit/Button.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { download } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { EntryTable, entryLabels } from './EntryTable.tsx'
import { aboutLog } from './audit-labels.ts'
import { Chain } from './Chain.tsx'
import { LogFilter } from './LogFilter.tsx'
import { t } from './translations.ts'

/** For entries that are no events. */
const SLOW_MS = 15_000

const fields = labelled(listAuditLogFields, entryLabels)

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
      {get.error !== null && <ProblemNote problem={get.error} of={t('The audit log')} />}
      <Button
        icon={<Download size={15} />}
        blocked={blocked}
        busy={get.isPending}
        onClick={() => get.mutate()}
      >
        {t('Export the whole log')}
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
  const search = async (q: string) =>
    (await call('searchWorkspace', { params: { id }, query: { q } })).items
  return (
    <Stack>
      <LogFilter
        value={filter}
        fields={fields}
        problem={list.error}
        search={search}
        onFilter={(each) => setState({ filter: each })}
      />
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
    <Page title={t('Audit log')} about={aboutLog} actions={<Export />}>
      <Stack>
        <Chain />
        <Log />
      </Stack>
    </Page>
  )
}
