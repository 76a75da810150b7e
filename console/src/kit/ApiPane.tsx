/** The calls that a page has made, and the one that its form is about to make, as code. */
import { X } from 'lucide-react'
import { useEffect, useId, useState, useSyncExternalStore } from 'react'
import { withoutSecrets } from '../api/call-log.ts'
import type { OperationId } from '../api/client.ts'
import { pathOf } from '../api/path.ts'
import { useCalls } from '../api/hooks.ts'
import { type Language, languages, type ShownCall, snippetOf } from '../api/snippets.ts'
import { operations } from '../../../sdk/schema.ts'
import { Badge } from './Badge.tsx'
import { Button, IconButton } from './Button.tsx'
import { Empty } from './Note.tsx'
import { Row } from './Layout.tsx'
import css from './Shell.module.css'
import { Code } from './Text.tsx'
import { t } from '../words/frame.ts'

interface NextCall {
  owner: string
  id: OperationId
  input: { params?: object; query?: object; body?: unknown }
}

let next: NextCall | undefined
const listeners = new Set<() => void>()

function setNext(call: NextCall | undefined): void {
  next = call
  for (const listener of listeners) listener()
}

const onNext = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows in the pane which call the form that is open is going to make, while one types. */
export function useNextCall(id: OperationId, input: NextCall['input']): void {
  const owner = useId()
  const text = JSON.stringify(input)
  useEffect(
    () => setNext({ owner, id, input: JSON.parse(text) as NextCall['input'] }),
    [id, owner, text],
  )
  useEffect(() => () => setNext(next?.owner === owner ? undefined : next), [owner])
}

interface ShownProps {
  id: OperationId
  call: ShownCall
  language: Language
  status?: number | undefined
  milliseconds?: number | undefined
}

const tone = (status: number) => (status >= 200 && status < 400 ? 'ok' : 'bad')

const Shown = ({ id, call, language, status, milliseconds }: ShownProps) => (
  <div className={css.call}>
    <div className={css.callName}>
      <a href={`/api/v1/reference#operation/${id}`} target="_blank" rel="noreferrer">
        {id}
      </a>
      {status !== undefined && <Badge tone={tone(status)}>{status || t('no answer')}</Badge>}
      {milliseconds !== undefined && <span>{milliseconds} ms</span>}
    </div>
    <Code label={t('{id} as {language}', { id, language })}>
      {snippetOf(call, language, window.location.origin)}
    </Code>
  </div>
)

export function ApiPane({ onClose }: { onClose: () => void }) {
  const [language, setLanguage] = useState<Language>('curl')
  const calls = useCalls()
  const coming = useSyncExternalStore(onNext, () => next)
  return (
    <aside className={css.pane} aria-label={t('API calls of this page')}>
      <Row>
        <div className={css.languages}>
          {languages.map((each) => (
            <Button
              key={each}
              kind="quiet"
              aria-pressed={each === language}
              onClick={() => setLanguage(each)}
            >
              {each}
            </Button>
          ))}
        </div>
        <IconButton label={t('Close')} icon={<X size={16} />} onClick={onClose} />
      </Row>
      {coming && (
        <>
          <h2>{t('This form is going to call')}</h2>
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
