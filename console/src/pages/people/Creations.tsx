/** What a person has created that lives on without them, and which kinds of it are to stay. */
import type {
  ApiKey,
  Member,
  MqttPrincipal,
  RemovedMember,
  Webhook,
} from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { CheckGroup } from '../../kit/Field.tsx'
import { Facts } from '../../kit/Layout.tsx'
import { Note, Pending } from '../../kit/Note.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { keyName } from '../keys/key-words.tsx'
import { t } from './words.ts'

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
  const input = { params: { id }, query: { filter, limit: 100 } }
  return [
    useRead('listApiKeys', input, { enabled }),
    useRead('listMqttPrincipals', input, { enabled }),
  ] as const
}

/**
 * Why nothing of the person can end yet: until it is read, nobody can choose what stays.
 * @param isEnding whether anything does
 */
export function useUnread(userId: string, isEnding: boolean): string | undefined {
  const isUnread = useCreations(userId, isEnding).some(({ data }) => data === undefined)
  return isEnding && isUnread ? t('The keys and logins of this person are not known.') : undefined
}

interface CreationsProps {
  member: Member
  kept: readonly Kept[]
  onKept: (kept: readonly Kept[]) => void
}

const names = (keys: readonly ApiKey[]): string =>
  keys.length === 0 ? t('none') : keys.map(keyName).join(', ')

const principalNames = (principals: readonly MqttPrincipal[]): string =>
  principals.length === 0 ? t('none') : principals.map((each) => each.name || each.id).join(', ')

/** What will end with the person's rights, by name. */
export function Creations({ member, kept, onKept }: CreationsProps) {
  const [keys, principals] = useCreations(member.user_id)
  if (keys.data === undefined) return <Pending query={keys} of={t('API keys')} />
  if (principals.data === undefined) return <Pending query={principals} of={t('MQTT logins')} />
  const ofKind = (kind: ApiKey['key_kind']) =>
    keys.data.items.filter(({ key_kind }) => key_kind === kind)
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
              [t('MQTT logins'), principalNames(principals.data.items)],
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
  webhooks.length === 0
    ? t('none')
    : webhooks.map(({ description, url }) => description || url).join(', ')

/** What ends with one's own rights, by name. Only the keys end for good. */
export function OwnCreations({ userId }: { userId: string }) {
  const { id } = useWorkspace()
  const [keys, principals] = useCreations(userId)
  const webhooks = useRead('listWebhooks', { params: { id } })
  if (keys.data === undefined) return <Pending query={keys} of={t('API keys')} />
  if (principals.data === undefined) return <Pending query={principals} of={t('MQTT logins')} />
  if (webhooks.data === undefined) return <Pending query={webhooks} of={t('Webhooks')} />
  const enabled = webhooks.data.items.filter(
    ({ created_by, status }) => created_by === userId && status === 'enabled',
  )
  return (
    <Note tone="warn" title={t('What you have created ends with it')}>
      <Facts
        facts={[
          [t('Keys revoked for good'), names(keys.data.items)],
          [t('MQTT logins suspended'), principalNames(principals.data.items)],
          [t('Webhooks disabled'), webhookNames(enabled)],
          [t('Also'), t('what these keys have created, and invitations that you have sent')],
        ]}
      />
    </Note>
  )
}

/** What has ended, as the service reports it. */
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
