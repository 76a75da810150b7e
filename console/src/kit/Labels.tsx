/** Labels with a QR code each, for paper: what is around them is not printed. */
import { Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import css from './Labels.module.css'
import { Qr } from './Text.tsx'
import { t } from '../words/frame.ts'

export interface Label {
  /** What the QR code says. */
  text: string
  title: string
  note: string
}

interface LabelsProps {
  label: string
  labels: readonly Label[]
  /** What stands before the labels, but not on paper. */
  children: ReactNode
}

export const Labels = ({ label, labels, children }: LabelsProps) => (
  <>
    <div className={css.rest}>
      {children}
      <Button
        kind="primary"
        icon={<Printer size={15} />}
        blocked={labels.length === 0 ? t('There is nothing to print.') : undefined}
        onClick={() => window.print()}
      >
        {t('Print')}
      </Button>
    </div>
    <ul className={css.sheet} aria-label={label}>
      {labels.map(({ text, title, note }) => (
        <li key={text}>
          <Qr text={text} label={t('QR code of {title}', { title })} />
          <div>
            <b>{title}</b>
            <span>{note}</span>
          </div>
        </li>
      ))}
    </ul>
  </>
)
