/** The certificate of a domain: ordered by ACME or uploaded, and how far an order is. */
import { useState } from 'react'
import type { AcmeOrder, Domain, DomainCertificate } from '../../../../sdk/schema.ts'
import { useChange, useRead } from '../../api/hooks.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Button } from '../../kit/Button.tsx'
import { SubmitActions } from '../../kit/DialogActions.tsx'
import { Form, FormActions, RadioCards, TextArea } from '../../kit/Field.tsx'
import { Facts, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { Empty, Note, Pending, ProblemNote } from '../../kit/Note.tsx'
import { ConfirmDialog, Dialog, say } from '../../kit/Overlay.tsx'
import { Stepper } from '../../kit/Stepper.tsx'
import { Id, Time } from '../../kit/Text.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { DnsRecord } from './DnsRecord.tsx'
import { isOpen, ofDomain, orderSteps, OrderStatus, stepOf } from './domain-labels.tsx'
import { rich, t } from './translations.ts'

const READS = ['getDomain', 'getDomainCertificate', 'getDomainCertificateOrder'] as const
/** An order's progress has no events of its own. */
const ORDER_MS = 2_000

interface ActProps {
  domain: Domain
  onClose: () => void
}

const challenges = [
  {
    value: 'http-01',
    label: t('By HTTP'),
    hint: t(
      'The authority asks the name on port 80, and the service answers. There is nothing for you to do.',
    ),
  },
  {
    value: 'dns-01',
    label: t('By DNS'),
    hint: t(
      'You create a TXT record, also for each renewal. For names that cannot be reached from outside.',
    ),
  },
] as const

function Order({ domain, onClose }: ActProps) {
  const [challenge, setChallenge] = useState<AcmeOrder['challenge']>('http-01')
  const order = useChange('orderDomainCertificate', READS)
  const input = { params: ofDomain(domain), body: { challenge } }
  useNextCall('orderDomainCertificate', input)
  return (
    <Dialog title={t('Get a certificate for {name}', { name: domain.name })} open onClose={onClose}>
      <Form onSubmit={() => order.mutate(input, { onSuccess: onClose })} problem={order.error}>
        <p>{t('The service asks its certificate authority for one, and renews it in time.')}</p>
        <RadioCards
          label={t('How the authority checks the name')}
          value={challenge}
          options={challenges}
          onValue={setChallenge}
        />
        <SubmitActions act={t('Get it')} busy={order.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function Upload({ domain, onClose }: ActProps) {
  const [chain, setChain] = useState('')
  const [key, setKey] = useState('')
  const upload = useChange('uploadDomainCertificate', READS)
  const body = { certificate_pem: chain, private_key_pem: key }
  const input = { params: ofDomain(domain), body }
  useNextCall('uploadDomainCertificate', {
    params: input.params,
    body: { certificate_pem: chain, private_key_pem: '…' },
  })
  return (
    <Dialog
      title={t('Upload a certificate for {name}', { name: domain.name })}
      open
      wide
      onClose={onClose}
    >
      <Form onSubmit={() => upload.mutate(input, { onSuccess: onClose })} problem={upload.error}>
        <TextArea
          label={t('Certificate and its chain')}
          mono
          rows={6}
          pointer="/certificate_pem"
          hint={t('PEM: the certificate first, then each issuer after what it has signed.')}
          value={chain}
          onValue={setChain}
        />
        <TextArea
          label={t('Private key')}
          mono
          rows={5}
          pointer="/private_key_pem"
          hint={t('PEM, not encrypted. It is stored encrypted and never shown again.')}
          value={key}
          onValue={setKey}
        />
        <SubmitActions act={t('Upload')} busy={upload.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function Remove({ domain, onClose }: ActProps) {
  const remove = useChange('removeDomainCertificate', READS)
  const params = ofDomain(domain)
  useNextCall('removeDomainCertificate', { params })
  const done = (): void => {
    say(t('The certificate is removed'))
    onClose()
  }
  return (
    <ConfirmDialog
      title={t('Remove the certificate of {name}?', { name: domain.name })}
      act={t('Remove')}
      busy={remove.isPending}
      problem={remove.error}
      onConfirm={() => remove.mutate({ params }, { onSuccess: done })}
      onClose={onClose}
    >
      {t(
        'Its private key is deleted, and what is being issued or renewed ends. Clients that ask for the name get the certificate of the installation, and refuse it if they check names.',
      )}
    </ConfirmDialog>
  )
}

function Progress({ domain, order }: { domain: Domain; order: AcmeOrder }) {
  const go = useChange('continueDomainCertificateOrder', READS)
  const blocked = useBlocked('continueDomainCertificateOrder')
  const input = { params: ofDomain(domain) }
  const preview = useButtonCall('continueDomainCertificateOrder', input)
  const { status, record, problem, next_try_at: next, is_renewal } = order
  return (
    <Stack tight>
      <Row>
        <b>{is_renewal ? t('Renewal') : t('New certificate')}</b>
        <OrderStatus status={status} />
      </Row>
      {isOpen(order) && <Stepper steps={orderSteps} at={stepOf(order)} />}
      {problem !== null && (
        <Note tone={status === 'failed' ? 'bad' : 'warn'} title={<span lang="en">{problem}</span>}>
          {next !== null && rich('It is tried again {time}.', { time: <Time at={next} /> })}
        </Note>
      )}
      {status === 'waiting' && record !== null && (
        <>
          <Note title={t('Create this record, and continue once every name server shows it')}>
            {t('The authority looks only once.')}
          </Note>
          <DnsRecord {...record} />
          {go.error !== null && <ProblemNote problem={go.error} />}
          <FormActions>
            <Button
              kind="primary"
              blocked={blocked}
              busy={go.isPending}
              onClick={() => go.mutate(input)}
              {...preview}
            >
              {t('The record is there')}
            </Button>
          </FormActions>
        </>
      )}
    </Stack>
  )
}

const Shown = ({ certificate }: { certificate: DomainCertificate }) => (
  <Facts
    facts={[
      [t('Valid until'), <Time key="until" at={certificate.not_after} />],
      [t('From'), certificate.source === 'acme' ? t('an authority, by ACME') : t('an upload')],
      [
        t('Renewed'),
        certificate.renew_at === null ? (
          t('not by the service')
        ) : (
          <Time at={certificate.renew_at} />
        ),
      ],
      [t('Issuer'), certificate.issuer],
      [t('Names'), certificate.names.join(', ')],
      [t('Key'), certificate.key_type],
      [t('Fingerprint'), <Id key="print">{certificate.fingerprint_sha256}</Id>],
    ]}
  />
)

/** A read whose thing may not be there, which is no fault. */
function usePart<Id extends 'getDomainCertificate' | 'getDomainCertificateOrder'>(
  id: Id,
  domain: Domain,
  isWatched: boolean,
) {
  const options = { isLive: true, refetchInterval: isWatched ? ORDER_MS : (false as const) }
  const query = useRead(id, { params: ofDomain(domain) }, options)
  const isMissing =
    query.error?.code === 'certificate_not_found' || query.error?.code === 'acme_order_not_found'
  return { query, isMissing, data: isMissing ? undefined : query.data }
}

const dialogs = { order: Order, upload: Upload, remove: Remove }

export function Certificate({ domain, title }: { domain: Domain; title: string }) {
  const [open, setOpen] = useState<keyof typeof dialogs | null>(null)
  const [isWatched, setWatched] = useState(false)
  const order = usePart('getDomainCertificateOrder', domain, isWatched)
  const certificate = usePart('getDomainCertificate', domain, isWatched)
  const blocked = useBlocked('orderDomainCertificate')
  const isOrdering = order.data !== undefined && isOpen(order.data)
  if (isOrdering !== isWatched) setWatched(isOrdering)
  const why = blocked ?? (domain.status === 'pending' ? t('Verify the domain first.') : undefined)
  const Opened = open === null ? null : dialogs[open]
  const isPending = !certificate.isMissing && certificate.data === undefined
  return (
    <Panel
      title={title}
      aside={
        <Row>
          <Button
            blocked={why ?? (isOrdering ? t('One is being issued.') : undefined)}
            onClick={() => setOpen('order')}
          >
            {t('Get a certificate…')}
          </Button>
          <Button blocked={why} onClick={() => setOpen('upload')}>
            {t('Upload your own…')}
          </Button>
          {(certificate.data !== undefined || isOrdering) && (
            <Button kind="danger" blocked={blocked} onClick={() => setOpen('remove')}>
              {t('Remove…')}
            </Button>
          )}
        </Row>
      }
    >
      <Stack>
        {isPending && <Pending query={certificate.query} of={t('The certificate')} />}
        {certificate.data !== undefined && <Shown certificate={certificate.data} />}
        {certificate.isMissing && order.isMissing && (
          <Empty title={t('No certificate yet')}>
            {why}{' '}
            {t(
              'Without a certificate, clients that ask for this name get that of the installation.',
            )}
          </Empty>
        )}
        {order.data !== undefined && order.data.status !== 'issued' && (
          <Progress domain={domain} order={order.data} />
        )}
      </Stack>
      {Opened !== null && <Opened domain={domain} onClose={() => setOpen(null)} />}
    </Panel>
  )
}
