/** New credentials for one device, shown once: what it has had ends at that moment. */
import type { Device } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { SecretDialog } from '../../kit/SecretDialog.tsx'
import { useBlocked } from '../../session/workspace.tsx'
import { ofDevice, secretsOf, useHasPassword } from './of-device.ts'
import { t } from './words.ts'

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
      title={isFirst ? t('Create its credentials?') : t('Reset its credentials?')}
      act={isFirst ? t('Create') : t('Reset')}
      kind={isFirst ? 'primary' : 'danger'}
      blocked={blocked}
      busy={reset.isPending}
      problem={reset.error}
      onConfirm={() => reset.mutate({ params })}
      onClose={onClose}
    >
      {isFirst
        ? t(
            'It has none now. A new password and a new token are shown once; store them on the device.',
          )
        : t(
            'All its current passwords and tokens stop now, everywhere, and its sessions end. It needs the new ones to connect again.',
          )}
    </ConfirmDialog>
  )
}
