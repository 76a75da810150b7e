/** What a device reports now, what it is, and its last attempts to connect. */
import { Link } from '@tanstack/react-router'
import { useRead } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Columns, Facts, Muted, Panel, Row, Stack } from '../../kit/Layout.tsx'
import { Empty, Pending } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Id, Json, Time } from '../../kit/Text.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Attempts, WhyConnected } from './Connections.tsx'
import { ofDevice, type SectionProps, useTemplateOf } from './DevicePage.tsx'

const SHOWN_ATTEMPTS = 5

function State({ device }: Pick<SectionProps, 'device'>) {
  const { slug } = useWorkspace()
  const query = useRead('getDeviceState', { params: ofDevice(device) }, { isLive: true })
  if (query.error?.code === 'state_not_found') {
    return (
      <Panel title="State">
        <Empty
          title="No state yet"
          command={`mosquitto_pub … -t ${slug}/${device.device_key}/state -m '{"on": true}'`}
        >
          What the device publishes to its topic “state” appears here as it arrives.
        </Empty>
      </Panel>
    )
  }
  if (query.data === undefined) {
    return (
      <Panel title="State">
        <Pending query={query} />
      </Panel>
    )
  }
  return (
    <Panel
      title="State"
      aside={
        <>
          reported <Time at={query.data.reported_at} />
        </>
      }
    >
      <Json value={query.data.state} label="State" />
    </Panel>
  )
}

function Template({ device }: Pick<SectionProps, 'device'>) {
  const { slug } = useWorkspace()
  const { data } = useTemplateOf(device)
  if (device.template_id === null) return <Muted>none</Muted>
  return (
    <Link to={below(slug, `templates/${device.template_id}`)}>
      {data?.name ?? device.template_id}
    </Link>
  )
}

const Identity = ({ device }: Pick<SectionProps, 'device'>) => {
  const { slug } = useWorkspace()
  const blocked = useBlocked('releaseDevice')
  const [, change] = useSearchState<{ act: string }>()
  return (
    <Panel title="Identity">
      <Facts
        facts={[
          ['Device id', <Id key="id">{device.id}</Id>],
          ['Key', <Id key="key">{device.device_key}</Id>],
          ['Hardware id', device.hardware_id === null ? 'none' : <Id>{device.hardware_id}</Id>],
          ['Template', <Template key="template" device={device} />],
          ['Topics', <Id key="topics" full>{`${slug}/${device.device_key}/…`}</Id>],
          [
            'Owner',
            device.claimed_at === null ? (
              'nobody'
            ) : (
              <Row>
                <span>
                  a phone, <Time at={device.claimed_at} />
                </span>
                <Button blocked={blocked} onClick={() => change({ act: 'release' })}>
                  Release…
                </Button>
              </Row>
            ),
          ],
          ['Last seen', <Time key="seen" at={device.last_seen_at} />],
          ['Registered', <Time key="made" at={device.created_at} />],
          ...Object.entries(device.tags).map(
            ([key, value]) => [`Tag ${key}`, <code key={key}>{value}</code>] as const,
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
      <Panel title="Last attempts to connect" flush>
        <Attempts device={device} limit={SHOWN_ATTEMPTS} />
      </Panel>
    </Stack>
    <Identity device={device} />
  </Columns>
)
