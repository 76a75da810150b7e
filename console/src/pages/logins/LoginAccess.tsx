/** Where a login connects and as whom, with code that does, but for its password. */
import type { MqttPrincipal } from '../../../../sdk/schema.ts'
import { useRead } from '../../api/hooks.ts'
import { accessFacts } from '../../kit/access-facts.tsx'
import { Facts, Panel, Small, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { Samples } from '../../kit/Samples.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { loginSamples } from './login-snippets.ts'
import { t } from './translations.ts'

const PASSWORD = '<password>'

export function LoginAccess({ login }: { login: MqttPrincipal }) {
  const { id, slug } = useWorkspace()
  const endpoints = useRead('listEndpoints', { params: { id } })
  const all = endpoints.data?.items.flatMap((broker) => broker.endpoints)
  const tcp = all?.find(({ protocol }) => protocol === 'mqtts' || protocol === 'mqtt')
  const secret = tcp && {
    client_id: login.id,
    mqtt_host: tcp.host,
    mqtt_port: tcp.port,
    mqtt_tls: tcp.protocol === 'mqtts',
    mqtt_username: login.id,
    mqtt_password: PASSWORD,
    topic_prefix: `${slug}/`,
  }
  return (
    <Panel title={t('How it connects')}>
      {all === undefined ? (
        <Pending query={endpoints} of={t('Endpoints')} />
      ) : (
        <Stack>
          <Facts
            facts={[
              ...accessFacts(
                all.map(({ url }) => url),
                login.id,
              ),
              [
                t('Client id'),
                <>
                  {t('Its user name.')}{' '}
                  <Small>
                    {t('For a second connection at the same time append “:2”, for a third “:3”.')}
                  </Small>
                </>,
              ],
              [t('Password'), t('It was shown once; “Rotate password…” makes another.')],
            ]}
          />
          {secret !== undefined && <Samples samples={loginSamples(secret, `${slug}/+/state`)} />}
        </Stack>
      )}
    </Panel>
  )
}
