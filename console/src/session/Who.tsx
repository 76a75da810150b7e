/** The actor or subject of an event, by name: people, keys, devices, or the command line. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/hooks.ts'
import { byHost } from '../api/host.ts'
import { Small } from '../kit/Layout.tsx'
import { below } from '../kit/navigation.tsx'
import { Skeleton } from '../kit/Note.tsx'
import { Id, Piece } from '../kit/Text.tsx'
import { campaignName } from './campaign-name.ts'
import { nameOf } from './invoice-name.ts'
import { jobLabel, titleOf } from './job-actions.ts'
import { type Name, useName } from './names.ts'
import { useBlocked, usePresentWorkspace, useWorkspace } from './workspace.tsx'
import { t } from '../i18n/frame.ts'

interface Kind {
  /** Below the workspace: where its page is, if it has one. */
  page?: string
  /** The word after the name of an actor that has ended. */
  after?: string
  /** Where the person may not read the name. */
  unnamed?: string
  /** Where the thing, and its name, are deleted. */
  gone?: string
}

/** By the prefix of ids. */
const kinds: Readonly<Record<string, Kind>> = {
  dev: { page: 'devices', after: t('decommissioned'), gone: t('a deleted device') },
  key: {
    page: 'keys',
    after: t('revoked'),
    unnamed: t('an API key'),
    gone: t('a deleted API key'),
  },
  tpl: { page: 'templates', gone: t('a deleted template') },
  job: { page: 'jobs', unnamed: t('a job'), gone: t('a deleted job') },
  grp: { page: 'groups', gone: t('a deleted group') },
  dom: { page: 'domains', unnamed: t('a domain'), gone: t('a deleted domain') },
  usr: { after: t('left'), gone: t('a deleted account') },
  moid: { gone: t('a deleted phone') },
  mqp: { page: 'logins', after: t('suspended'), gone: t('a deleted MQTT login') },
  mqm: { unnamed: t('a phone'), gone: t('an ended MQTT login of a phone') },
  whk: {
    page: 'webhooks',
    after: t('disabled'),
    unnamed: t('a webhook'),
    gone: t('a deleted webhook'),
  },
  fld: { gone: t('a deleted field') },
  inv: { gone: t('an ended invitation') },
  clm: { unnamed: t('a claim') },
  cmp: { page: 'rotations' },
  acl: { unnamed: t('a rule') },
  cmd: { unnamed: t('a command') },
  note: { unnamed: t('a note') },
  view: { unnamed: t('a view') },
  pm: { unnamed: t('a card') },
  pay: { unnamed: t('a payment') },
}

const kindOf = (id: string): Kind => kinds[id.slice(0, id.indexOf('_'))] ?? {}

function Linked({ id, text }: { id: string; text: string }) {
  const { slug } = useWorkspace()
  const { page } = kindOf(id)
  return page === undefined ? text : <Link to={below(slug, `${page}/${id}`)}>{text}</Link>
}

/** How the service names a phone: by a device that it holds. */
const PHONE = /^phone of /
/** And a key without a name. */
const UNNAMED_KEY = /^API key$/

/** Texts that the service writes itself, in the person's language; names as they are. */
function labelOf(id: string, label: string): string {
  if (id.startsWith('job_')) return jobLabel(label)
  if (id.startsWith('moid_')) return t('phone {id}', { id: `…${id.slice(-6)}` })
  if (id.startsWith('mqm_')) {
    return PHONE.test(label)
      ? t('phone of {name}', { name: label.replace(PHONE, '') })
      : t('a phone')
  }
  if (id.startsWith('whk_')) return byHost(label)
  return id.startsWith('key_') && UNNAMED_KEY.test(label) ? t('an API key') : label
}

function Named({ id, named }: { id: string; named: Name | null }) {
  const { after, unnamed, gone } = kindOf(id)
  if (named === null) return unnamed === undefined ? null : <Linked id={id} text={unnamed} />
  const { label, detail, is_active, is_deleted } = named
  if (is_deleted) return gone ?? label
  return (
    <>
      <Linked id={id} text={labelOf(id, label)} />
      {id.startsWith('dev_') && detail !== label && (
        <>
          {' '}
          <Small>
            <Piece>{detail}</Piece>
          </Small>
        </>
      )}
      {!is_active && after !== undefined && ` (${after})`}
    </>
  )
}

/** By its number, for those who may read it. */
function Invoice({ id }: { id: string }) {
  const { id: workspaceId, slug } = useWorkspace()
  const isUnknown = useBlocked('getInvoice') !== undefined
  const params = { id: workspaceId, invoice_id: id }
  const { data } = useRead('getInvoice', { params }, { enabled: !isUnknown })
  return (
    <Link to={below(slug, `billing/invoices/${id}`)}>
      {data === undefined ? t('an invoice') : nameOf(data)}
    </Link>
  )
}

/** By its devices and its start, for those who may read it. */
function Campaign({ id }: { id: string }) {
  const { id: workspaceId } = useWorkspace()
  const isUnknown = useBlocked('getRotationCampaign') !== undefined
  const params = { id: workspaceId, campaign_id: id }
  const { data } = useRead('getRotationCampaign', { params }, { enabled: !isUnknown })
  return <Linked id={id} text={data === undefined ? t('a rotation') : campaignName(data)} />
}

/** By its name, for those who see it: the own ones and the shared ones. */
function View({ id }: { id: string }) {
  const { id: workspaceId, slug } = useWorkspace()
  const { data } = useRead('listViews', { params: { id: workspaceId } })
  const view = data?.items.find((each) => each.id === id)
  if (view === undefined) return <Within id={id} />
  return (
    <Link to={below(slug, 'devices')} search={{ view: id }}>
      {t('view {name}', { name: view.name })}
    </Link>
  )
}

/** How the service names a job that sets or removes tags. */
const TAGGING = /^job: tag$/

/** A job, named by its action; a job on tags also names the tags, if the person may read it. */
function Job({ id }: { id: string }) {
  const { id: workspaceId } = useWorkspace()
  const named = useName(id)
  const isUnknown = useBlocked('getJob') !== undefined
  const isTagging = named?.is_deleted === false && TAGGING.test(named.label)
  const params = { id: workspaceId, job_id: id }
  const { data } = useRead('getJob', { params }, { enabled: isTagging && !isUnknown })
  return data === undefined ? <Within id={id} /> : <Linked id={id} text={titleOf(data)} />
}

/** By the prefix of ids: where operators see the thing. */
const installationPages: Readonly<Record<string, string>> = {
  usr: 'accounts',
  ws: 'workspaces',
  run: 'doctor-runs',
}

/** Things without a name, by the prefix of their ids. */
const installationKinds: Readonly<Record<string, string>> = {
  ses: t('session'),
  mse: t('phone session'),
  mail: t('mail'),
  run: t('security check'),
  usr: t('account'),
  ws: t('workspace'),
}

/** Its kind and the end of its id, which distinguishes it; the whole id is in its hint. */
function Unnamed({ id }: { id: string }) {
  const kind = installationKinds[id.slice(0, id.indexOf('_'))]
  if (kind === undefined) return <code>{id}</code>
  return (
    <span title={id}>
      {kind} <code>…{id.slice(-6)}</code>
    </span>
  )
}

/** Outside of a workspace only accounts and workspaces have names. */
function OfInstallation({ id }: { id: string }) {
  const named = useName(id)
  const page = installationPages[id.slice(0, id.indexOf('_'))]
  // Not a button that copies it: in a narrow table that would be too near to the link below.
  if (page === undefined) return <Unnamed id={id} />
  return <Link to={`/installation/${page}/${id}`}>{named?.label ?? <Unnamed id={id} />}</Link>
}

interface WhoProps {
  /** The actor; `service` for the command line; null for the service itself. */
  id: string | null
  /** The kind of the resource, where its id alone does not show it. */
  kind?: string | undefined
}

export function Who({ id, kind }: WhoProps) {
  const isWithin = usePresentWorkspace() !== null
  if (id === null) return <>{t('the service')}</>
  if (id === 'service') return <>{t('the command line')}</>
  // Invitations have ids like those of invoices.
  if (isWithin && kind === 'invoice') return <Invoice id={id} />
  if (isWithin && id.startsWith('cmp_')) return <Campaign id={id} />
  if (isWithin && id.startsWith('view_')) return <View id={id} />
  if (isWithin && id.startsWith('job_')) return <Job id={id} />
  return isWithin ? <Within id={id} /> : <OfInstallation id={id} />
}

function Within({ id }: { id: string }) {
  const workspace = useWorkspace()
  const named = useName(id)
  if (id === workspace.id) return <>{workspace.name}</>
  if (named === undefined) return <Skeleton inline />
  const isKnown = named !== null && !named.is_deleted
  const hasWords = isKnown || (named === null && kindOf(id).unnamed !== undefined)
  return (
    <>
      <Named id={id} named={named} />
      {!hasWords && (
        <>
          {' '}
          <Id>{id}</Id>
        </>
      )}
    </>
  )
}
