/** The audit log of the installation: accounts, sessions, mail, keys of the service. */
import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { listInstallationAuditLogFields } from '../../../../sdk/filters.ts'
import { labelled } from '../../api/filter.ts'
import { call } from '../../api/client.ts'
import { useList } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { Button } from '../../kit/Button.tsx'
import { Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Announced, ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { aboutChain, aboutLog } from '../audit/audit-labels.ts'
import { type Checked, Result, verifyParts } from '../audit/Chain.tsx'
import { EntryTable, entryLabels } from '../audit/EntryTable.tsx'
import { LogFilter } from '../audit/LogFilter.tsx'
import { t } from './translations.ts'

const REFRESH_MS = 15_000

function Verify() {
  const check = useMutation<Checked, Problem>({
    mutationFn: () => verifyParts((query) => call('verifyInstallationAuditLog', { query })),
  })
  return (
    <Panel
      title={t('Hash chain')}
      aside={
        <Button
          icon={<ShieldCheck size={15} />}
          busy={check.isPending}
          onClick={() => check.mutate()}
        >
          {t('Verify')}
        </Button>
      }
    >
      <Announced>
        {check.error !== null && <ProblemNote problem={check.error} />}
        {check.data !== undefined && <Result checked={check.data} />}
        {check.data === undefined && check.error === null && <Small>{aboutChain}</Small>}
      </Announced>
    </Panel>
  )
}

/** Accounts and workspaces by a part of a name. */
async function search(part: string) {
  const query = { search: part, limit: 5 }
  const [accounts, workspaces] = await Promise.all([
    call('listInstallationAccounts', { query }),
    call('listInstallationWorkspaces', { query }),
  ])
  return [
    ...accounts.items.map(({ id, email, name }) => ({ id, label: email, detail: name })),
    ...workspaces.items.map(({ id, slug, name }) => ({ id, label: slug, detail: name })),
  ]
}

const fields = labelled(listInstallationAuditLogFields, entryLabels)

export default function InstallationAudit() {
  const [{ filter = '' }, setState] = useSearchState<{ filter: string }>()
  const query = { limit: 100, ...(filter !== '' && { filter }) }
  const list = useList('listInstallationAuditLog', { query }, { refetchInterval: REFRESH_MS })
  return (
    <Page title={t('Audit log of the installation')} about={aboutLog}>
      <Stack>
        <Verify />
        <LogFilter
          value={filter}
          fields={fields}
          problem={list.error}
          search={search}
          onFilter={(each) => setState({ filter: each })}
        />
        <EntryTable list={list} log="listInstallationAuditLog" workspaceId={undefined}>
          {t(
            'Accounts, sessions, second factors, e-mails and the keys of the service leave entries here.',
          )}
        </EntryTable>
      </Stack>
    </Page>
  )
}
