/** Ends sessions: how many, before it happens; then the receipt of each process. */
import type { CutConnections } from '../../../../sdk/schema.ts'
import { useChange } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Stack } from '../../kit/Layout.tsx'
import { Note } from '../../kit/Note.tsx'
import { ConfirmDialog, Dialog } from '../../kit/Overlay.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { ReceiptNodes } from '../endpoints/Receipt.tsx'

export interface Selection {
  body: CutConnections
  /** How many these are, for people. */
  count: string
}

interface DisconnectProps {
  selection: Selection
  onClose: () => void
}

const sessions = (count: string): string => (count === '1' ? '1 session' : `${count} sessions`)

export function Disconnect({ selection: { body, count }, onClose }: DisconnectProps) {
  const { id } = useWorkspace()
  const cut = useChange('cutConnections', ['listConnections'])
  const input = { params: { id }, body }
  useNextCall('cutConnections', input)
  if (cut.data !== undefined) {
    const { receipt_id, complete } = cut.data
    return (
      <Dialog title="Receipt" open wide onClose={onClose}>
        <Stack tight>
          {!complete && (
            <Note tone="info" title="There are more.">
              The first {cut.data.cut.toLocaleString('en')} are in this receipt; the others end in
              the background.
            </Note>
          )}
          <ReceiptNodes receiptId={receipt_id} />
        </Stack>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title={`Disconnect ${sessions(count)}?`}
      act={`Disconnect ${count}`}
      busy={cut.isPending}
      problem={cut.error}
      onConfirm={() => cut.mutate(input)}
      onClose={onClose}
    >
      {sessions(count)} and the messages that wait for them on the broker end now. Their credentials
      stay as they are: the clients may connect again at once.
    </ConfirmDialog>
  )
}
