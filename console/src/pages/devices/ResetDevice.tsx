/** New credentials for one device, shown once: the earlier ones end at that moment. */
import type { Device } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { SessionsCounted } from '../../kit/Counts.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { SecretDialog } from '../../kit/SecretDialog.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { canRotate, ofDevice, secretsOf, useHasPassword } from './of-device.ts'
import { t } from './translations.ts'

function WhatStops({ device }: { device: Device }) {
  return (
    <Stack>
      <p>
        {t('All its current passwords and tokens stop now, everywhere, and its sessions end.')}{' '}
        {t(
          'The new ones are shown once, in the next step. The device stays offline until they are stored on it.',
        )}
      </p>
      <Facts facts={[[t('Live sessions'), <SessionsCounted key="sessions" of={device.id} />]]} />
      {canRotate(device) && (
        <p>{t('To renew them without an interruption, rotate them instead.')}</p>
      )}
    </Stack>
  )
}

export default function ResetDialog({ device, onClose }: { device: Device; onClose: () => void }) {
  const reset = useChange('resetDeviceCredentials', ['getDevice', 'listDeviceCredentials'])
  const blocked = useBlocked('resetDeviceCredentials')
  const isFirst = useHasPassword(device) === false
  const params = ofDevice(device)
  useNextCall('resetDeviceCredentials', { params })
  if (reset.data !== undefined) {
    const values = secretsOf(reset.data)
    return (
      <SecretDialog
        title={t('Credentials of {key}', { key: device.device_key })}
        values={values}
        name={device.device_key}
        hasSeveral
        qr={JSON.stringify(values)}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmDialog
      title={
        isFirst
          ? t('Create the credentials of {key}?', { key: device.device_key })
          : t('Reset the credentials of {key}?', { key: device.device_key })
      }
      act={isFirst ? t('Create') : t('Reset')}
      kind={isFirst ? 'primary' : 'danger'}
      blocked={blocked}
      busy={reset.isPending}
      problem={reset.error}
      onConfirm={() => reset.mutate({ params })}
      onClose={onClose}
    >
      {isFirst ? (
        t(
          'It has none now. A new password and a new token are shown once; store them on the device.',
        )
      ) : (
        <WhatStops device={device} />
      )}
    </ConfirmDialog>
  )
}
