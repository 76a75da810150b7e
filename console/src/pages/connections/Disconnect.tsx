/** Ends sessions: how many, before it happens; then the receipt of each process. */
import type { CutConnections } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { ConfirmDialog, Dialog } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ReceiptNodes } from '../endpoints/Receipt.tsx'
import { t } from './translations.ts'

export interface Selection {
  body: CutConnections
  /** How many these are, for people. */
  count: string
}

interface DisconnectProps {
  selection: Selection
  onClose: () => void
}

export function Disconnect({ selection: { body, count }, onClose }: DisconnectProps) {
  const { id } = useWorkspace()
  const disconnect = useChange('cutConnections', ['listConnections'])
  const input = { params: { id }, body }
  useNextCall('cutConnections', input)
  const isOne = count === '1'
  if (disconnect.data !== undefined) {
    const { receipt_id, complete } = disconnect.data
    return (
      <Dialog title={t('Receipt')} open wide onClose={onClose}>
        <Stack tight>
          {!complete && (
            <Note tone="info" title={t('There are more.')}>
              {t('The first {n} are in this receipt; the others end in the background.', {
                n: numberText(disconnect.data.cut),
              })}
            </Note>
          )}
          <ReceiptNodes receiptId={receipt_id} />
        </Stack>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={isOne ? t('Disconnect 1 session?') : t('Disconnect {count} sessions?', { count })}
      act={t('Disconnect {count}', { count })}
      busy={disconnect.isPending}
      problem={disconnect.error}
      onConfirm={() => disconnect.mutate(input)}
      onClose={onClose}
    >
      {isOne
        ? t(
            '1 session and the messages that wait for it on the broker end now. Its credentials stay as they are: the client may connect again at once.',
          )
        : t(
            '{count} sessions and the messages that wait for them on the broker end now. Their credentials stay as they are: the clients may connect again at once.',
            { count },
          )}
    </ConfirmDialog>
  )
}
