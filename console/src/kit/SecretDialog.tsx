/** A secret that the service shows only once: the dialog stays until the person has stored it. */
import { type ReactNode, useState } from 'react'
import { Button } from './Button.tsx'
import { Checkbox, FormActions } from './Field.tsx'
import { Note } from './Note.tsx'
import { Dialog } from './Overlay.tsx'
import { Secrets } from './Text.tsx'
import { t } from '../i18n/frame.ts'

interface SecretDialogProps {
  title: string
  /** Names of environment variables and their values. */
  values: Readonly<Record<string, string>>
  /** File name of the download, without its ending. */
  name: string
  /** Whether several of the values are secret. */
  hasSeveral?: boolean
  /** Text of a QR code, for a station that scans it. */
  qr?: string
  children?: ReactNode
  /** The content after the values, such as code with them. */
  after?: ReactNode
  onClose: () => void
}

export function SecretDialog(props: SecretDialogProps) {
  const { title, values, name, hasSeveral = false, qr, children, after, onClose } = props
  const [isStored, setStored] = useState(false)
  const whyNot = hasSeveral ? t('Store them first.') : t('Store it first.')
  return (
    <Dialog title={title} open stays onClose={onClose}>
      <Note
        tone="warn"
        title={hasSeveral ? t('They are shown this once.') : t('It is shown this once.')}
      >
        {children ??
          (hasSeveral
            ? t('The service keeps only a hash of each.')
            : t('The service keeps only a hash of it.'))}
      </Note>
      <Secrets values={values} name={name} {...(qr !== undefined && { qr })} />
      {after}
      <Checkbox
        label={hasSeveral ? t('I have stored them') : t('I have stored it')}
        checked={isStored}
        onValue={setStored}
      />
      <FormActions>
        <Button kind="primary" blocked={isStored ? undefined : whyNot} onClick={onClose}>
          {t('Done')}
        </Button>
      </FormActions>
    </Dialog>
  )
}
