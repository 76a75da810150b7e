/** Recovery codes, shown once. */
import { useState } from 'react'
import { Button } from '../../kit/Button.tsx'
import { Codes } from '../../kit/Codes.tsx'
import { Checkbox, FormActions } from '../../kit/Field.tsx'
import { Note } from '../../kit/Note.tsx'
import { Dialog } from '../../kit/Overlay.tsx'
import { t } from './translations.ts'

interface RecoveryCodesProps {
  codes: readonly string[]
  email: string
  onClose: () => void
}

export function RecoveryCodes({ codes, email, onClose }: RecoveryCodesProps) {
  const [isStored, setStored] = useState(false)
  const { host } = window.location
  const heading = t('Recovery codes of {email} for Mooring at {host}', { email, host })
  return (
    <Dialog title={t('Your recovery codes')} open stays wide onClose={onClose}>
      <Note tone="warn" title={t('They are shown this once.')}>
        {t(
          'Each signs you in once, if your authenticator is not at hand. Keep them apart from your phone.',
        )}
      </Note>
      <Codes codes={codes} name="mooring-recovery-codes" heading={heading}>
        <Checkbox label={t('I have stored them')} checked={isStored} onValue={setStored} />
        <FormActions>
          <Button
            kind="primary"
            blocked={isStored ? undefined : t('Store them first.')}
            onClick={onClose}
          >
            {t('Done')}
          </Button>
        </FormActions>
      </Codes>
    </Dialog>
  )
}
