/** The present reports of a device, its properties, and its last attempts to connect. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Columns, Facts, Muted, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { Pending } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Id, Json, JsonLine, Time, Token } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { Who } from '../../session/Who.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { usePhoneOf } from '../claims/phone-of.ts'
import { Attempts, WhyConnected } from './Connections.tsx'
import { ofDevice, type SectionProps, useTemplateOf } from './of-device.ts'
import { rich, t } from './translations.ts'

const SHOWN_ATTEMPTS = 5

/** A state that a device may report. */
const EXAMPLE = '{"temperature": 21}'

function State({ device }: Pick<SectionProps, 'device'>) {
  const { slug } = useWorkspace()
  const query = useRead('getDeviceState', { params: ofDevice(device) }, { isLive: true })
  if (query.error?.code === 'state_not_found') {
    return (
      <Panel
        title={t('Reported state')}
        aside={
          <LinkButton
            to={below(slug, 'messages')}
            search={{ topic: `${slug}/${device.device_key}/#` }}
          >
            {t('Watch its messages')}
          </LinkButton>
        }
      >
        <p>
          <b>{t('No state yet.')}</b>{' '}
          {rich(
            'Let the device publish JSON, such as {example}, to {topic}. Its {rules} must allow that.',
            {
              example: <code>{EXAMPLE}</code>,
              topic: <Token>{`${slug}/${device.device_key}/state`}</Token>,
              rules: (
                <Link to={below(slug, `devices/${device.id}`)} search={{ tab: 'rules' }}>
                  {t('rules')}
                </Link>
              ),
            },
          )}
        </p>
      </Panel>
    )
  }
  if (query.data === undefined) {
    return (
      <Panel title={t('Reported state')}>
        <Pending query={query} of={t('The reported state')} />
      </Panel>
    )
  }
  return (
    <Panel
      title={t('Reported state')}
      aside={<>{rich('reported {time}', { time: <Time at={query.data.reported_at} /> })}</>}
    >
      <Json value={query.data.state} label={t('Reported state')} />
    </Panel>
  )
}

function Template({ device }: Pick<SectionProps, 'device'>) {
  const { slug } = useWorkspace()
  const { data } = useTemplateOf(device)
  if (device.template_id === null) return <Muted>{t('none')}</Muted>
  return (
    <Link to={below(slug, `templates/${device.template_id}`)}>
      {data?.name ?? device.template_id}
    </Link>
  )
}

interface OwnerProps extends Pick<SectionProps, 'device'> {
  claimedAt: string
}

/** The phone that has it, named as in the list of claims. */
function Owner({ device, claimedAt }: OwnerProps) {
  const phone = usePhoneOf(device.id)
  const time = <Time at={claimedAt} />
  return (
    <span>
      {typeof phone === 'string'
        ? rich('{phone}, claimed {time}', { phone: <Who id={phone} />, time })
        : rich('a phone, claimed {time}', { time })}
    </span>
  )
}

const Identity = ({ device }: Pick<SectionProps, 'device'>) => {
  const { slug } = useWorkspace()
  const blocked = useBlocked('releaseDevice')
  const [, change] = useSearchState<{ act: string }>()
  return (
    <Panel title={t('Identity')}>
      <Facts
        facts={[
          [t('Device id'), <Id key="id">{device.id}</Id>],
          [t('Device key'), <Id key="key">{device.device_key}</Id>],
          [
            t('Hardware id'),
            device.hardware_id === null ? t('none') : <Id>{device.hardware_id}</Id>,
          ],
          [t('Template'), <Template key="template" device={device} />],
          [t('Topics'), <Id key="topics" full>{`${slug}/${device.device_key}/…`}</Id>],
          [
            t('Owner'),
            device.claimed_at === null ? (
              t('nobody')
            ) : (
              <Row>
                <Owner device={device} claimedAt={device.claimed_at} />
                <Button blocked={blocked} onClick={() => change({ act: 'release' })}>
                  {t('Release…')}
                </Button>
              </Row>
            ),
          ],
          [t('Last seen'), <Time key="seen" at={device.last_seen_at} />],
          [t('Registered'), <Time key="made" at={device.created_at} />],
          ...Object.entries(device.tags).map(
            ([key, value]) =>
              [t('Tag {name}', { name: key }), <code key={key}>{value}</code>] as const,
          ),
          ...Object.entries(device.custom_fields).map(
            ([key, value]) =>
              [
                t('Field {name}', { name: key }),
                typeof value === 'string' ? (
                  <code key={key}>{value}</code>
                ) : (
                  <JsonLine key={key} value={value} />
                ),
              ] as const,
          ),
        ]}
      />
    </Panel>
  )
}

export const Now = ({ device }: SectionProps) => (
  <Columns wideFirst>
    <Stack>
      <WhyConnected device={device} />
      <State device={device} />
      <Panel title={t('Last attempts to connect')} flush>
        <Attempts device={device} limit={SHOWN_ATTEMPTS} />
      </Panel>
    </Stack>
    <Identity device={device} />
  </Columns>
)
