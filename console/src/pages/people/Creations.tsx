/** The resources of a person that live on without them, and the kinds of them that are to stay. */
import type {
  ApiKey,
  Member,
  MqttPrincipal,
  RemovedMember,
  Webhook,
} from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { CheckGroup } from '../../kit/Field.tsx'
import { MAX_COUNT } from '../../kit/Counts.tsx'
import { Facts } from '../../kit/Layout.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { keyName } from '../keys/key-labels.tsx'
import { t } from './translations.ts'

export type Kept = 'platform_keys' | 'provision_keys' | 'mqtt_principals' | 'webhooks'

const keepOptions: readonly { value: Kept; label: string }[] = [
  { value: 'platform_keys', label: t('platform keys') },
  { value: 'provision_keys', label: t('provision keys') },
  { value: 'mqtt_principals', label: t('MQTT logins') },
  { value: 'webhooks', label: t('webhooks') },
]

/** How the request names what stays. */
export const keepQuery = (kept: readonly Kept[]) =>
  kept.length === 0 ? {} : { keep: kept.join(',') }

function useCreations(userId: string, enabled = true) {
  const { id } = useWorkspace()
  const filter = `created_by = ${userId} AND status = active`
  const input = { params: { id }, query: { filter, limit: MAX_COUNT } }
  return [
    useRead('listApiKeys', input, { enabled }),
    useRead('listMqttPrincipals', input, { enabled }),
  ] as const
}

/** The creations of oneself include webhooks: nobody chooses which ones stay. */
function useOwnCreations(userId: string, enabled = true) {
  const { id } = useWorkspace()
  const webhooks = useRead('listWebhooks', { params: { id } }, { enabled })
  return [...useCreations(userId, enabled), webhooks] as const
}

/**
 * Why nothing of somebody else can end yet: until it is read, nobody can choose what stays.
 * @param isEnding whether anything does
 */
export function useUnread(userId: string, isEnding: boolean): string | undefined {
  const isUnread = useCreations(userId, isEnding).some(({ data }) => data === undefined)
  return isEnding && isUnread ? t('The keys and logins of this person are not known.') : undefined
}

/** The same of oneself: keys end permanently, so their names are shown first. */
export function useOwnUnread(userId: string, isEnding: boolean): string | undefined {
  const isUnread = useOwnCreations(userId, isEnding).some(({ data }) => data === undefined)
  return isEnding && isUnread ? t('It is not known what ends with your rights.') : undefined
}

interface CreationsProps {
  member: Member
  kept: readonly Kept[]
  onKept: (kept: readonly Kept[]) => void
}

/** The names of the first page, and whether the list has more. */
function listed(names: readonly string[], hasMore: boolean): string {
  const text = names.join(', ')
  if (!hasMore) return text === '' ? t('none') : text
  const values = { names: text, n: numberText(MAX_COUNT) }
  return text === '' ? t('none among the first {n}', values) : t('{names}, and more', values)
}

interface Page<Item> {
  items: readonly Item[]
  next_cursor: string | null
}

const names = ({ items, next_cursor }: Page<ApiKey>): string =>
  listed(items.map(keyName), next_cursor !== null)

const principalNames = ({ items, next_cursor }: Page<MqttPrincipal>): string =>
  listed(
    items.map((each) => each.name || each.id),
    next_cursor !== null,
  )

/** The things that will end with the person's rights, by name. */
export function Creations({ member, kept, onKept }: CreationsProps) {
  const [keys, principals] = useCreations(member.user_id)
  if (keys.data === undefined) return <Pending query={keys} of={t('API keys')} />
  if (principals.data === undefined) return <Pending query={principals} of={t('MQTT logins')} />
  const ofKind = (kind: ApiKey['key_kind']) => ({
    ...keys.data,
    items: keys.data.items.filter(({ key_kind }) => key_kind === kind),
  })
  const isNothing = keys.data.items.length === 0 && principals.data.items.length === 0
  return (
    <>
      <Note
        tone={isNothing ? 'info' : 'warn'}
        title={isNothing ? t('No live keys of theirs') : t('These end with their rights')}
      >
        {isNothing ? (
          t(
            'They have created no key and no MQTT login that is active. Webhooks that they have created are disabled.',
          )
        ) : (
          <Facts
            facts={[
              [t('Platform keys'), names(ofKind('platform'))],
              [t('Provision keys'), names(ofKind('provision'))],
              [t('MQTT logins'), principalNames(principals.data)],
              [t('Also'), t('what these keys have created, and webhooks of theirs')],
            ]}
          />
        )}
      </Note>
      <CheckGroup
        label={t('Keep')}
        hint={t('They may still know what stays: replace it soon.')}
        values={kept}
        options={keepOptions}
        onValues={onKept}
      />
    </>
  )
}

const webhookNames = (webhooks: readonly Webhook[]): string =>
  listed(
    webhooks.map(({ description, url }) => description || url),
    false,
  )

/** The things that end with one's own rights, by name. Only keys end permanently. */
export function OwnCreations({ userId }: { userId: string }) {
  const [keys, principals, webhooks] = useOwnCreations(userId)
  if (keys.data === undefined) return <Pending query={keys} of={t('API keys')} />
  if (principals.data === undefined) return <Pending query={principals} of={t('MQTT logins')} />
  if (webhooks.data === undefined) return <Pending query={webhooks} of={t('Webhooks')} />
  const enabled = webhooks.data.items.filter(
    ({ created_by, status }) => created_by === userId && status === 'enabled',
  )
  if ([keys.data.items, principals.data.items, enabled].every(({ length }) => length === 0)) {
    return (
      <Note title={t('No live keys of yours')}>
        {t(
          'You have created no key and no MQTT login that is active, and no webhook that is enabled. Invitations that you have sent are revoked.',
        )}
      </Note>
    )
  }
  return (
    <Note tone="warn" title={t('What you have created ends with it')}>
      <Facts
        facts={[
          [t('Keys revoked permanently'), names(keys.data)],
          [t('MQTT logins suspended'), principalNames(principals.data)],
          [t('Webhooks disabled'), webhookNames(enabled)],
          [t('Also'), t('what these keys have created, and invitations that you have sent')],
        ]}
      />
    </Note>
  )
}

/** The sessions that have ended, as the service reports them. */
export function EndedInWords({ ended }: { ended: Omit<RemovedMember, 'user_id'> }) {
  const rows: readonly (readonly [string, number])[] = [
    [t('Keys revoked'), ended.api_keys_revoked.length],
    [t('Keys kept'), ended.api_keys_kept.length],
    [t('MQTT logins suspended'), ended.mqtt_principals_suspended.length],
    [t('MQTT logins kept'), ended.mqtt_principals_kept.length],
    [t('Webhooks disabled'), ended.webhooks_disabled.length],
    [t('Webhooks kept'), ended.webhooks_kept.length],
    [t('Invitations revoked'), ended.invitations_revoked],
  ]
  const some = rows.filter(([, count]) => count > 0)
  if (some.length === 0) return <p>{t('Nothing else has ended.')}</p>
  return <Facts facts={some} />
}
