/** Codes that are shown once, each of which works once: to copy, as a file, on paper. */
import { Download, Printer } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import css from './Codes.module.css'
import { Row } from './Layout.tsx'
import { CopyButton, downloadText } from './Text.tsx'
import { t } from '../i18n/frame.ts'

interface CodesProps {
  codes: readonly string[]
  /** File name of the download, without its ending. */
  name: string
  /** First line of the file: the purpose of the codes. */
  heading: string
  /** The content that follows on the page, but not on paper. */
  children: ReactNode
}

export function Codes({ codes, name, heading, children }: CodesProps) {
  const lines = codes.join('\n')
  const download = (): void => downloadText(`${name}.txt`, `${heading}\n\n${lines}\n`)
  return (
    <>
      <ol className={css.codes} aria-label={heading}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ol>
      <div className={css.rest}>
        <Row>
          <CopyButton text={lines} label={t('Copy')} />
          <Button icon={<Download size={15} />} onClick={download}>
            {t('Download')}
          </Button>
          <Button icon={<Printer size={15} />} onClick={() => window.print()}>
            {t('Print')}
          </Button>
        </Row>
        {children}
      </div>
    </>
  )
}
