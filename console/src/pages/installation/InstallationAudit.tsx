/** The audit log of the installation: accounts, sessions, mail, keys of the service. */
import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { listInstallationAuditLogFields } from '../../../../sdk/filters.ts'
import { labelled } from '../../api/filter.ts'
import { call } from '../../api/client.ts'
import { useList } from '../../api/hooks.ts'
import type { Problem } from '../../api/problem.ts'
import { Button } from '../../kit/Button.tsx'
import { FilterEditor } from '../../kit/FilterEditor.tsx'
import { Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { Announced, ProblemNote } from '../../kit/Note.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { type Checked, Result, verifyParts } from '../audit/Chain.tsx'
import { EntryTable, entryLabels } from '../audit/EntryTable.tsx'
import { t } from './words.ts'

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
        {check.data === undefined && check.error === null && (
          <Small>
            {t(
              'Each entry is sealed with the one before. Verify proves that none was changed or removed.',
            )}
          </Small>
        )}
      </Announced>
    </Panel>
  )
}

const fields = labelled(listInstallationAuditLogFields, entryLabels)

export default function InstallationAudit() {
  const [{ filter = '' }, setState] = useSearchState<{ filter: string }>()
  const query = { limit: 100, ...(filter !== '' && { filter }) }
  const list = useList('listInstallationAuditLog', { query }, { refetchInterval: REFRESH_MS })
  return (
    <Page title={t('Audit log of the installation')}>
      <Stack>
        <Verify />
        <Row>
          <FilterEditor
            label={t('Filter of the audit log')}
            placeholder={t('e.g. action = "account.disabled" AND occurred_at > 2026-01-01')}
            value={filter}
            fields={fields}
            problem={list.error}
            onTyped={() => {}}
            onSubmit={(text) => setState({ filter: text })}
          />
        </Row>
        <EntryTable list={list} log="listInstallationAuditLog" workspaceId={undefined}>
          {t(
            'Accounts, sessions, second factors, e-mails and the keys of the service leave entries here.',
          )}
        </EntryTable>
      </Stack>
    </Page>
  )
}
