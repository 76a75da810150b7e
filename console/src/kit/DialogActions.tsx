/** The buttons at the end of a dialog. */
import type { ComponentProps } from 'react'
import { Button } from './Button.tsx'
import { FormActions } from './Field.tsx'
import { t } from '../i18n/frame.ts'

interface SubmitProps extends Pick<ComponentProps<typeof Button>, 'kind' | 'busy' | 'blocked'> {
  /** The text of the button that submits. */
  act: string
  onCancel: () => void
}

/** The button that submits a form, and the one that leaves everything as it is. */
export const SubmitActions = ({ act, onCancel, kind = 'primary', ...state }: SubmitProps) => (
  <FormActions>
    <Button type="submit" kind={kind} {...state}>
      {act}
    </Button>
    <Button onClick={onCancel}>{t('Cancel')}</Button>
  </FormActions>
)

/** The action of a dialog that shows what has been done. */
export const DoneAction = ({ onClose }: { onClose: () => void }) => (
  <FormActions>
    <Button kind="primary" onClick={onClose}>
      {t('Done')}
    </Button>
  </FormActions>
)
