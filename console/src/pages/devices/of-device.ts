/** The common code of the parts of a device's page, without the page. */
import type { Device, DeviceCredentials } from '../../../../sdk/schema.ts'
import { useList, useRead } from '../../api/hooks.ts'

export interface SectionProps {
  device: Device
  /** For changes that must not overwrite those of others. */
  etag: string | undefined
}

/** Path parameters of calls about a device. */
export const ofDevice = (device: Device) => ({ id: device.workspace_id, device_id: device.id })

/** The template of a device, where it has one. */
export const useTemplateOf = ({ workspace_id: id, template_id }: Device) =>
  useRead(
    'getDeviceTemplate',
    { params: { id, template_id: template_id ?? '' } },
    { enabled: template_id !== null },
  )

/** The list of passwords and tokens that it has; never their values. */
export const useCredentials = (device: Device) =>
  useRead('listDeviceCredentials', { params: ofDevice(device) }, { isLive: true })

/** The messages of the service to firmware that listens. */
const ROTATE_COMMAND = 'rotate_credentials'

/** The last command that has asked it to rotate, if there is one. */
export const useRotateCommands = (device: Device) =>
  useList(
    'listCommands',
    {
      params: ofDevice(device),
      query: { filter: `name = ${ROTATE_COMMAND}`, limit: 1 },
    },
    { isLive: true },
  )

/** Whether it has a password for MQTT; undefined until that was read. */
export function useHasPassword(device: Device): boolean | undefined {
  const { data, isError } = useCredentials(device)
  return isError ? true : data?.items.some(({ kind }) => kind === 'mqtt')
}

/** Others are refused whatever they send, or have nothing that could be rotated. */
export const canRotate = ({ status, approval }: Device): boolean =>
  approval === 'approved' && (status === 'active' || status === 'registered')

/** Credentials as environment variables. */
export const secretsOf = ({ mqtt_credentials: mqtt, device_http_token }: DeviceCredentials) => ({
  MQTT_URL: `${mqtt.mqtt_tls ? 'mqtts' : 'mqtt'}://${mqtt.mqtt_host}:${mqtt.mqtt_port}`,
  MQTT_CLIENT_ID: mqtt.client_id,
  MQTT_USERNAME: mqtt.mqtt_username,
  MQTT_PASSWORD: mqtt.mqtt_password,
  MQTT_TOPIC_PREFIX: mqtt.topic_prefix,
  DEVICE_HTTP_TOKEN: device_http_token,
})
