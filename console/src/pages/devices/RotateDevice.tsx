/** New credentials for one device without an interruption: a job asks it to fetch them itself. */
import type { CreateJob, Device } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { Time, Token } from '../../kit/Text.tsx'
import { useActionBlocks } from '../../session/action-blocks.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useCredentials, useRotateCommands } from './of-device.ts'
import { rich, t } from './translations.ts'

const FIRMWARE_PAGE = 'docs/firmware.md'
const ROTATE_CALL = 'POST /devices/auth/credentials/rotate'

/** That it was asked, and has not done it. */
function AskedBefore({ device }: Pick<DialogProps, 'device'>) {
  const isDue = useCredentials(device).data?.rotation_due === true
  const [command] = useRotateCommands(device).items ?? []
  if (!isDue) return null
  return (
    <Note>
      {command === undefined || command.ended_at !== null
        ? t('It was asked before, and has not rotated. This asks again.')
        : rich('It was asked {time}, and has not rotated. This asks again.', {
            time: <Time at={command.created_at} />,
          })}
    </Note>
  )
}

interface DialogProps {
  device: Device
  onClose: () => void
  onStarted: (jobId: string) => void
}

export function RotateDialog({ device, onClose, onStarted }: DialogProps) {
  const { id } = useWorkspace()
  const start = useChange('createJob', ['listJobs'])
  const { rotate: blocked } = useActionBlocks()
  const input: { params: { id: string }; body: CreateJob } = {
    params: { id },
    body: { action: 'rotate', device_ids: [device.id] },
  }
  useNextCall('createJob', input, blocked)
  return (
    <ConfirmDialog
      title={t('Rotate the credentials of {key}?', { key: device.device_key })}
      act={t('Rotate')}
      kind="primary"
      blocked={blocked}
      busy={start.isPending}
      problem={start.error}
      onConfirm={() => start.mutate(input, { onSuccess: (job) => onStarted(job.id) })}
      onClose={onClose}
    >
      <Stack tight>
        <p>
          {device.connected
            ? t('The device gets the command to fetch a new password and a new token.')
            : t(
                'It is offline: it is asked to fetch a new password and a new token when it connects, or when it asks the service by HTTP. For that it needs its token, not its password; if it has lost both, reset its credentials.',
              )}
        </p>
        <AskedBefore device={device} />
        <p>{t('The old ones work until it has used the new ones.')}</p>
        <p>
          {rich(
            'Its firmware has to know how: it calls {operation}, as “Rotation” in {page} says.',
            {
              operation: (
                <a
                  href="/api/v1/reference#operation/rotateOwnCredentials"
                  target="_blank"
                  rel="noreferrer"
                >
                  <Token>{ROTATE_CALL}</Token>
                </a>
              ),
              page: <code>{FIRMWARE_PAGE}</code>,
            },
          )}
        </p>
      </Stack>
    </ConfirmDialog>
  )
}
