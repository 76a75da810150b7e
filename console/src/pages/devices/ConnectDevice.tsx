/** The second half of the wizard: credentials once, code, and waiting for the connection. */
import { useEffect, useState } from 'react'
import type { CreatedDevice } from '../../../../sdk/schema.ts'
import { codeSamples, type DeviceLogin } from '../../api/device-code.ts'
import { useRead } from '../../api/hooks.ts'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Checkbox, FormActions } from '../../kit/Field.tsx'
import { Columns, Panel, Stack } from '../../kit/Layout.tsx'
import { LeaveGuard } from '../../kit/LeaveGuard.tsx'
import { Announced, Empty, Note } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Samples } from '../../kit/Samples.tsx'
import { Json, Secrets } from '../../kit/Text.tsx'
import { useWatch } from '../../live/live.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useAttempts } from './Connections.tsx'
import { ofDevice, secretsOf } from './of-device.ts'
import { explainAttempt, withinSentence } from './reasons.ts'
import { t } from './translations.ts'

interface StepProps {
  device: CreatedDevice
  step: number
  onStep: (step: number) => void
}

const CREDENTIALS = 1
const CODE = 2
const CONNECTED = 3

function loginOf({ mqtt_credentials: mqtt, device_http_token }: CreatedDevice): DeviceLogin {
  return {
    host: mqtt.mqtt_host,
    port: mqtt.mqtt_port,
    tls: mqtt.mqtt_tls,
    username: mqtt.mqtt_username,
    password: mqtt.mqtt_password,
    clientId: mqtt.client_id,
    topicPrefix: mqtt.topic_prefix.replace(/\/$/, ''),
    origin: window.location.origin,
    httpToken: device_http_token,
  }
}

function StoreCredentials({ device, onStep }: StepProps) {
  const [isStored, setStored] = useState(false)
  const { mqtt_credentials, device_http_token } = device
  const values = secretsOf({ device_id: device.id, mqtt_credentials, device_http_token })
  return (
    <Panel title={t('Credentials of {key}', { key: device.device_key })}>
      <Stack>
        <Note tone="warn" title={t('They are shown this once.')}>
          {t('The code of the next step contains them too. The service keeps only hashes.')}
        </Note>
        <Secrets values={values} name={device.device_key} qr={JSON.stringify(values)} />
        <Checkbox label={t('I have stored them')} checked={isStored} onValue={setStored} />
        <LeaveGuard when={!isStored} title={t('Leave without the credentials?')}>
          {t('Nobody can show them again: the device would have to be reset.')}
        </LeaveGuard>
        <FormActions>
          <Button
            kind="primary"
            blocked={isStored ? undefined : t('Store them first.')}
            onClick={() => onStep(CODE)}
          >
            {t('Show me code')}
          </Button>
        </FormActions>
      </Stack>
    </Panel>
  )
}

/** The device as it is, while it connects. */
function useLive(device: CreatedDevice) {
  useWatch(`device:${device.id}`)
  const params = ofDevice(device)
  const { data } = useRead('getDevice', { params }, { isLive: true })
  const state = useRead('getDeviceState', { params }, { isLive: true })
  return { present: data ?? device, state: state.data }
}

function Waiting({ device }: Pick<StepProps, 'device'>) {
  const { data } = useAttempts({ device })
  const refused = data?.items.find(({ accepted }) => !accepted)
  if (refused === undefined) {
    return (
      <Empty title={t('Waiting for {key} to connect', { key: device.device_key })}>
        {t(
          'Run the code. This page notices the connection by itself, and says why one is refused.',
        )}
      </Empty>
    )
  }
  const { what, todo } = explainAttempt(refused, device)
  return (
    <Note tone="bad" title={t('Refused: {what}', { what: withinSentence(what) })}>
      {todo} {t('It came from {address}.', { address: refused.address })}
    </Note>
  )
}

function Connection({ device, step, onStep }: StepProps) {
  const { slug } = useWorkspace()
  const { present, state } = useLive(device)
  // A program that publishes once may be gone before it is seen.
  const isConnected = present.connected || present.last_seen_at !== null
  useEffect(() => {
    if (isConnected && step !== CONNECTED) onStep(CONNECTED)
  }, [isConnected, onStep, step])
  return (
    <Panel title={t('Connection')}>
      <Stack>
        <Announced>
          {isConnected ? (
            <Note tone="ok" title={t('{key} has connected.', { key: device.device_key })}>
              {state === undefined
                ? t('It has published no state yet.')
                : t('It has published its state:')}
            </Note>
          ) : (
            <Waiting device={device} />
          )}
        </Announced>
        {isConnected && state !== undefined && (
          <Json value={state.state} label={t('Reported state')} />
        )}
        <FormActions>
          <LinkButton
            kind={isConnected ? 'primary' : 'plain'}
            to={below(slug, `devices/${device.id}`)}
          >
            {t('Open the device')}
          </LinkButton>
        </FormActions>
      </Stack>
    </Panel>
  )
}

export function ConnectDevice(props: StepProps) {
  if (props.step === CREDENTIALS) return <StoreCredentials {...props} />
  return (
    <Columns wideFirst>
      <Panel title={t('Code for it')}>
        <Samples samples={codeSamples(loginOf(props.device))} />
      </Panel>
      <Connection {...props} />
    </Columns>
  )
}
