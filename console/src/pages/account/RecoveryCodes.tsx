/** Recovery codes, shown once. */
import { useState } from 'react'
import { Button } from '../../kit/Button.tsx'
import { Codes } from '../../kit/Codes.tsx'
import { Checkbox, FormActions } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'

interface RecoveryCodesProps {
  codes: readonly string[]
  email: string
  onClose: () => void
}

export function RecoveryCodes({ codes, email, onClose }: RecoveryCodesProps) {
  const [isStored, setStored] = useState(false)
  const heading = `Recovery codes of ${email} for Mooring at ${window.location.host}`
  return (
    <Dialog title="Your recovery codes" open stays wide onClose={onClose}>
      <Note tone="warn" title="They are shown this once.">
        Each signs you in once, if your authenticator is not at hand. Keep them apart from your
        phone.
      </Note>
      <Codes codes={codes} name="mooring-recovery-codes" heading={heading}>
        <Checkbox label="I have stored them" checked={isStored} onValue={setStored} />
        <FormActions>
          <Button
            kind="primary"
            blocked={isStored ? undefined : 'Store them first.'}
            onClick={onClose}
          >
            Done
          </Button>
        </FormActions>
      </Codes>
    </Dialog>
  )
}
