/**
 * The calls that a page has made, and the next one of its form, as code. Loaded when
 * somebody opens it.
 */
import { X } from 'lucide-react'
import { withoutSecrets } from '../api/call-log.ts'
import type { OperationId } from '../api/client.ts'
import { useCalls } from '../api/hooks.ts'
import { pathOf } from '../api/path.ts'
import { type Language, languages, type ShownCall, snippetOf } from '../api/snippets.ts'
import { operations } from '../../../sdk/schema.ts'
import { t } from '../i18n/frame.ts'
import { useComingCall } from './ApiPane.tsx'
import { Badge } from './Badge.tsx'
import { Button, IconButton } from './Button.tsx'
import { Empty } from './Note.tsx'
import { End, Row } from './Layout.tsx'
import css from './CallPane.module.css'
import { Code } from './Text.tsx'

interface ShownProps {
  id: OperationId
  call: ShownCall
  language: Language
  status?: number | undefined
  milliseconds?: number | undefined
}

/** Its effect is computed, and not applied. */
const TRIAL = /[?&]dry_run=true\b/

const tone = (status: number) => (status >= 200 && status < 400 ? 'ok' : 'bad')

const Shown = ({ id, call, language, status, milliseconds }: ShownProps) => (
  <div className={css.call}>
    <div className={css.callName}>
      <a href={`/api/v1/reference#operation/${id}`} target="_blank" rel="noreferrer">
        {id}
      </a>
      {status !== undefined && <Badge tone={tone(status)}>{status || t('no response')}</Badge>}
      {TRIAL.test(call.path) && <Badge tone="info">{t('trial: nothing is changed')}</Badge>}
      {milliseconds !== undefined && <span>{`${milliseconds} ms`}</span>}
    </div>
    <Code label={t('{id} as {language}', { id, language })}>
      {snippetOf(call, language, window.location.origin)}
    </Code>
  </div>
)

interface PaneProps {
  language: Language
  onLanguage: (language: Language) => void
  onClose: () => void
}

export default function CallPane({ language, onLanguage, onClose }: PaneProps) {
  const calls = useCalls()
  const coming = useComingCall()
  return (
    <aside className={css.pane} aria-label={t('API calls of this page')}>
      <Row>
        <div className={css.languages}>
          {languages.map((each) => (
            <Button
              key={each}
              kind="quiet"
              aria-pressed={each === language}
              onClick={() => onLanguage(each)}
            >
              {each}
            </Button>
          ))}
        </div>
        <End>
          <IconButton label={t('Close')} icon={<X size={16} />} onClick={onClose} />
        </End>
      </Row>
      {coming && (
        <>
          <h2>{t('The next call')}</h2>
          <Shown
            id={coming.id}
            language={language}
            call={{
              method: operations[coming.id].method,
              path: pathOf(operations[coming.id], coming.input as Parameters<typeof pathOf>[1]),
              body: withoutSecrets(coming.input.body),
            }}
          />
        </>
      )}
      <h2>{t('This page has called')}</h2>
      {calls.length === 0 && (
        <Empty title={t('Nothing yet')}>{t('Each call appears here as code.')}</Empty>
      )}
      {calls.toReversed().map((each) => (
        <Shown key={each.number} language={language} call={each} {...each} />
      ))}
    </aside>
  )
}
