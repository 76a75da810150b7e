/** One device: its properties, its state, and why it is or is not connected. */
import { useParams } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import type { Device } from '../../../../sdk/schema.ts'
import { useResource } from '../../api/hooks.ts'
import { Badge } from '../../kit/Badge.tsx'
import { Row } from '../../kit/Layout.tsx'
import { PendingPage } from '../../kit/ListPage.tsx'
import { Loading } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { SectionTabs } from '../../kit/SectionTabs.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useWatch } from '../../live/live.ts'
import { useSearchState } from '../../session/search-state.ts'
import { Who } from '../../session/Who.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { Connections } from './Connections.tsx'
import { Credentials } from './Credentials.tsx'
import { DeviceActions } from './DeviceActions.tsx'
import { DeviceSettings } from './DeviceSettings.tsx'
import { Condition, nameOf } from './device-labels.tsx'
import { Notes } from './Notes.tsx'
import { Now } from './Now.tsx'
import type { SectionProps } from './of-device.ts'
import { Story } from './Story.tsx'
import { t } from './translations.ts'

/** Loaded with its tab: the page would be heavy with all of them. */
function onItsTab(load: () => Promise<{ default: ComponentType<SectionProps> }>) {
  const Part = lazy(load)
  return (props: SectionProps) => (
    <Suspense fallback={<Loading />}>
      <Part {...props} />
    </Suspense>
  )
}

const Configuration = onItsTab(async () => ({
  default: (await import('./Configuration.tsx')).Configuration,
}))
const Commands = onItsTab(async () => ({ default: (await import('./Commands.tsx')).Commands }))
const Rules = onItsTab(async () => ({ default: (await import('./Rules.tsx')).Rules }))

const Rotation = lazy(() => import('./Rotation.tsx'))

const sections: Readonly<Record<string, readonly [label: string, ComponentType<SectionProps>]>> = {
  now: [t('Now'), Now],
  timeline: [t('Timeline'), Story],
  connections: [t('Connections'), Connections],
  config: [t('Configuration'), Configuration],
  commands: [t('Commands'), Commands],
  credentials: [t('Credentials'), Credentials],
  rules: [t('Rules'), Rules],
  notes: [t('Notes'), Notes],
  settings: [t('Settings'), DeviceSettings],
}

type Shown = { tab: string; rotation: string }

/** The rotation that the address names, or one that is due. */
const RotationNote = ({ device }: { device: Device }) => (
  <Suspense>
    <Rotation device={device} />
  </Suspense>
)

export default function DevicePage() {
  const { id, slug } = useWorkspace()
  const { deviceId = '' } = useParams({ strict: false }) as { deviceId?: string }
  const [{ tab = 'now', rotation }] = useSearchState<Shown>()
  useWatch(`device:${deviceId}`)
  const query = useResource('getDevice', { params: { id, device_id: deviceId } }, { isLive: true })
  const trail = [{ label: t('Devices'), to: below(slug, 'devices') }]
  const tabs = (
    <SectionTabs
      label={t('Parts of the device')}
      sections={sections}
      open={tab}
      to={below(slug, `devices/${deviceId}`)}
      kept={rotation === undefined ? {} : { rotation }}
    />
  )
  if (query.data === undefined) {
    return (
      <PendingPage
        title={t('Device')}
        of={t('The device')}
        trail={trail}
        query={query}
        tabs={tabs}
      />
    )
  }
  const { body: device, etag } = query.data
  const [, Section] = sections[tab] ?? [t('Now'), Now]
  return (
    <Page
      title={nameOf(device)}
      trail={trail}
      note={<Marks device={device} />}
      actions={<DeviceActions device={device} />}
    >
      {tabs}
      <RotationNote device={device} />
      <Section device={device} etag={etag} />
    </Page>
  )
}

const Marks = ({ device }: { device: Device }) => (
  <Row>
    <Condition device={device} />
    {device.claimed_at !== null && <Badge tone="info">{t('Claimed')}</Badge>}
    {nameOf(device) !== device.device_key && <code>{device.device_key}</code>}
    {device.template_id !== null && <Who id={device.template_id} />}
  </Row>
)
