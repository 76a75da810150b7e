/** The end of a claim by staff; the list of claims and the page of a device show it. */
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { ConfirmDialog, say } from '../../kit/Overlay.tsx'
import { useName } from '../../session/names.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { usePhoneOf } from './phone-of.ts'
import { rich, t } from './translations.ts'

interface ReleaseProps {
  deviceId: string
  onClose: () => void
  /** @param receipt its id */
  onDone: (receipt: string) => void
}

export default function Release({ deviceId, onClose, onDone }: ReleaseProps) {
  const { id } = useWorkspace()
  const release = useChange('releaseDevice', ['listWorkspaceClaims', 'getDevice', 'listDevices'])
  const ask = useChange('askReceipt')
  const refused = useBlocked('releaseDevice')
  const named = useName(deviceId)
  const phone = usePhoneOf(deviceId)
  const key = named?.detail ?? named?.label
  const params = { id, device_id: deviceId }
  useNextCall('releaseDevice', { params })
  const confirm = async (): Promise<void> => {
    await release.mutateAsync({ params })
    say(key === undefined ? t('Released') : t('Released: {key}', { key }))
    // The response to a release names none: one of the whole workspace is asked for.
    onDone((await ask.mutateAsync({ params: { id } })).id)
  }
  const isBusy = release.isPending || ask.isPending
  return (
    <ConfirmDialog
      title={
        key === undefined
          ? t('Release this device from its phone?')
          : t('Release {key} from its phone?', { key })
      }
      act={t('Release')}
      blocked={refused ?? (phone === null && !isBusy ? t('No phone has claimed it.') : undefined)}
      busy={isBusy}
      problem={release.error ?? ask.error}
      onConfirm={() => void confirm().catch(() => null)}
      onClose={onClose}
    >
      {rich(
        '{phone} loses the device now, also in its live sessions. The device keeps working and is asked to rotate its credentials. Any phone may claim it then.',
        { phone: typeof phone === 'string' ? <Who id={phone} /> : t('Its phone') },
      )}
    </ConfirmDialog>
  )
}
