/** One domain: the record that proves it, and its certificate. */
import { useNavigate, useParams } from '@tanstack/react-router'
import { SearchCheck } from 'lucide-react'
import { useState } from 'react'
import type { Domain } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { LoneDanger } from '../../kit/Acts.tsx'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Badge } from '../../kit/Badge.tsx'
import { Button } from '../../kit/Button.tsx'
import { FormActions } from '../../kit/Field.tsx'
import { Columns, Facts, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { Certificate } from './Certificate.tsx'
import { DnsRecord } from './DnsRecord.tsx'
import { DomainStatus, ofDomain, purposes, TimeSoFar } from './domain-labels.tsx'
import { useTarget } from './target.ts'
import { rich, t } from './translations.ts'

interface DomainProps {
  domain: Domain
}

/** The result of the last check of the DNS. */
function Found({ domain }: DomainProps) {
  const { status, last_error: error, failing_since, lapses_at, checked_at } = domain
  if (status === 'verified' && failing_since === null) {
    return (
      <Note tone="ok" title={t('Verified')}>
        {rich('The record was there {time}. It is checked once a day: keep it.', {
          time: <Time at={checked_at} />,
        })}
      </Note>
    )
  }
  if (status === 'verified') {
    return (
      <Note tone="warn" title={t('The record is missing')}>
        <span lang="en">{error?.message}</span>{' '}
        {rich('The domain lapses {time} unless the record is back.', {
          time: <Time at={lapses_at} />,
        })}
      </Note>
    )
  }
  if (error === null) {
    return (
      <Note title={t('Create this record in your DNS, then verify')}>
        {t('It can take some minutes until name servers show a new record.')}
      </Note>
    )
  }
  const tone = status === 'lapsed' ? 'bad' : 'warn'
  // The message repeats the record, which stands below.
  return error.code === 'record_missing' ? (
    <Note tone={tone} title={t('The name servers have no such record')}>
      {rich('Last look: {time}. Create the record below in your DNS, then verify again.', {
        time: <Time at={checked_at} />,
      })}{' '}
      {t('It can take some minutes until name servers show a new record.')}
    </Note>
  ) : (
    <Note tone={tone} title={t('Not verified')}>
      <span lang="en">{error.message}</span>
    </Note>
  )
}

function Verification({ domain }: DomainProps) {
  const verify = useChange('verifyDomain', ['getDomain', 'listDomains'])
  const blocked = useBlocked('verifyDomain')
  const params = ofDomain(domain)
  useNextCall('verifyDomain', { params })
  const check = (): void =>
    verify.mutate({ params }, { onSuccess: () => say(t('Verified'), domain.name) })
  return (
    <Panel title={t('1. Prove that it is yours')}>
      <Stack tight>
        {verify.error === null || verify.error.code === 'domain_not_verified' ? (
          <Found domain={domain} />
        ) : (
          <ProblemNote problem={verify.error} />
        )}
        <DnsRecord
          type={domain.verification.record}
          name={domain.verification.name}
          value={domain.verification.value}
        />
        <FormActions>
          <Button
            kind={domain.status === 'verified' ? 'plain' : 'primary'}
            icon={<SearchCheck size={15} />}
            blocked={blocked}
            busy={verify.isPending}
            onClick={check}
          >
            {domain.status === 'verified' ? t('Check again') : t('Verify')}
          </Button>
        </FormActions>
      </Stack>
    </Panel>
  )
}

function Remove({ domain, onClose }: DomainProps & { onClose: () => void }) {
  const { slug } = useWorkspace()
  const navigate = useNavigate()
  const remove = useChange('deleteDomain', ['listDomains'])
  const params = ofDomain(domain)
  useNextCall('deleteDomain', { params })
  const gone = (): void => void navigate({ to: below(slug, 'domains') })
  return (
    <ConfirmDialog
      title={t('Delete {name}?', { name: domain.name })}
      act={t('Delete')}
      typed={domain.name}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate({ params }, { onSuccess: gone })}
      onClose={onClose}
    >
      {t(
        'Another workspace may take the name at once. Its certificate is deleted. Devices that use the name reach the service as long as it points there, but devices of other workspaces may then connect by it, too.',
      )}
    </ConfirmDialog>
  )
}

export default function DomainPage() {
  const { id, slug } = useWorkspace()
  const { domainId = '' } = useParams({ strict: false }) as { domainId?: string }
  const [isDeleting, setDeleting] = useState(false)
  const blocked = useBlocked('deleteDomain')
  const params = { id, domain_id: domainId }
  const query = useRead('getDomain', { params }, { isLive: true })
  const target = useTarget(query.data)
  const trail = [{ label: t('Domains'), to: below(slug, 'domains') }]
  const { data: domain } = query
  if (domain === undefined)
    return <PendingPage title={t('Domain')} of={t('The domain')} trail={trail} query={query} />
  return (
    <Page
      title={domain.name}
      trail={trail}
      note={
        <Row>
          <DomainStatus status={domain.status} />
          <Badge plain>{purposes[domain.purpose]}</Badge>
        </Row>
      }
      actions={
        <LoneDanger label={t('Delete…')} blocked={blocked} onSelect={() => setDeleting(true)} />
      }
    >
      <Columns wideFirst>
        <Stack>
          <Verification domain={domain} />
          {target && (
            <Panel title={t('2. Point the name to the service')}>
              <Stack tight>
                <p>
                  {t(
                    'Clients that use the name reach the service once this record exists. It can be created now, together with the first.',
                  )}
                </p>
                <DnsRecord type={target.record} name={domain.name} value={target.host} />
              </Stack>
            </Panel>
          )}
          <Certificate
            domain={domain}
            title={target === undefined ? t('2. Certificate') : t('3. Certificate')}
          />
        </Stack>
        <Panel title={t('Details')}>
          <Facts
            facts={[
              [t('Id'), <Id key="id">{domain.id}</Id>],
              [t('Verified'), <TimeSoFar key="verified" at={domain.verified_at} />],
              [
                t('DNS checked'),
                domain.checked_at === null ? undefined : (
                  <Time key="checked" at={domain.checked_at} />
                ),
              ],
              [t('Added'), <Time key="added" at={domain.created_at} />],
              [t('Added by'), <Who key="by" id={domain.created_by} />],
            ]}
          />
        </Panel>
      </Columns>
      {isDeleting && <Remove domain={domain} onClose={() => setDeleting(false)} />}
    </Page>
  )
}
