/** Labels with a QR code each, for paper: elements around them are not printed. */
import { Printer } from 'lucide-react'
import { memo, type ReactNode, useEffect, useState } from 'react'
import { Button } from './Button.tsx'
import { Row } from './Layout.tsx'
import css from './Labels.module.css'
import { numberText } from './numbers.ts'
import QrCode from './QrCode.tsx'
import { t } from '../i18n/frame.ts'

export interface Label {
  /** The text of the QR code. */
  text: string
  title: string
  note: string
}

interface LabelsProps {
  label: string
  labels: readonly Label[]
  /** Why there are none yet; undefined where there is nothing to print. */
  missing: string | undefined
  /** The content before the labels, but not on paper. */
  children: ReactNode
  /** How many there are, next to what prints them. */
  count: ReactNode
}

/** Codes that are drawn before the page may react to its reader again. */
const AT_ONCE = 3

/** How many of the codes are drawn by now. Others than before begin again with none. */
function useDrawn(labels: readonly Label[]): number {
  const first = labels[0]?.text
  const [progress, setProgress] = useState({ first, drawn: 0 })
  if (progress.first !== first) setProgress({ first, drawn: 0 })
  const drawn = Math.min(progress.drawn, labels.length)
  useEffect(() => {
    if (drawn === labels.length) return
    const timer = setTimeout(() => setProgress({ first, drawn: drawn + AT_ONCE }))
    return () => clearTimeout(timer)
  }, [first, drawn, labels.length])
  return drawn
}

const Item = memo(({ text, title, note, isDrawn }: Label & { isDrawn: boolean }) => (
  <li>
    {isDrawn ? <QrCode text={text} label={t('QR code of {title}', { title })} /> : <div />}
    <div>
      <b>{title}</b>
      <span>{note}</span>
    </div>
  </li>
))

export function Labels({ label, labels, missing, count, children }: LabelsProps) {
  const drawn = useDrawn(labels)
  const progress = { drawn: numberText(drawn), all: numberText(labels.length) }
  const unfinished =
    drawn < labels.length ? t('{drawn} of {all} codes are drawn.', progress) : undefined
  return (
    <>
      <div className={css.rest}>
        {children}
        {(labels.length > 0 || missing !== undefined) && (
          <Row>
            <Button
              kind="primary"
              icon={<Printer size={15} />}
              blocked={labels.length === 0 ? missing : unfinished}
              onClick={() => window.print()}
            >
              {t('Print')}
            </Button>
            {count}
          </Row>
        )}
      </div>
      <ul className={css.sheet} aria-label={label}>
        {labels.map((each, index) => (
          <Item key={each.text} {...each} isDrawn={index < drawn} />
        ))}
      </ul>
    </>
  )
}
