/** Messages as they are published, and publishing as the service. */
import { Download, Eraser, Pause, Play, Send, Square } from 'lucide-react'
import { useState } from 'react'
import { useRead } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Checkbox, Form, FormActions, TextField } from '../../kit/Field.tsx'
import { FollowStatus } from '../../kit/FollowStatus.tsx'
import { End, Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Page } from '../../kit/Shell.tsx'
import { downloadText } from '../../kit/Text.tsx'
import { type TailMessage, type TailState, useTail } from '../../live/tail.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { MessageTable } from './MessageTable.tsx'
import { Publish } from './Publish.tsx'
import { t } from './translations.ts'

interface State extends Record<string, string> {
  topic: string
  config: string
}

const OFFERED = 20

/** Topic filters that are likely to be wanted. */
function Offered({ id: listId }: { id: string }) {
  const { id, slug } = useWorkspace()
  const query = { limit: OFFERED }
  const { data } = useRead('listDevices', { params: { id }, query }, { staleTime: 60_000 })
  const usual = ['#', '+/state', '+/telemetry', '+/events', '+/cmd/#']
  const own = (data?.items ?? []).map(({ device_key }) => `${device_key}/#`)
  return (
    <datalist id={listId}>
      {[...usual, ...own].map((each) => (
        <option key={each} value={`${slug}/${each}`}>
          {each}
        </option>
      ))}
    </datalist>
  )
}

/** Whether the topic filter itself is wrong: that is said in the form, all else at the messages. */
const isOfFilter = ({ problem }: TailState): boolean => (problem?.errors.length ?? 0) > 0

interface WhatProps {
  state: TailState
  topic: string | undefined
  hasConfig: boolean
  onWatch: (topic: string, hasConfig: boolean) => void
}

function What({ state, topic, hasConfig, onWatch }: WhatProps) {
  const { id, slug } = useWorkspace()
  const [text, setText] = useState(topic ?? `${slug}/#`)
  const [isAll, setAll] = useState(hasConfig)
  const blocked = useBlocked('tailMessages')
  const isWatched = text.trim() === topic && isAll === hasConfig
  const unable = blocked ?? (isWatched ? t('This is watched already.') : undefined)
  const query = { topic: text, ...(isAll && { config: true }) }
  useNextCall('tailMessages', { params: { id }, query })
  // Later, the messages need the room.
  const atFirst = (hint: string) => (topic === undefined ? hint : undefined)
  return (
    <Panel title={t('What to watch')}>
      <Form
        problem={isOfFilter(state) ? state.problem : null}
        onSubmit={() => unable === undefined && onWatch(text.trim(), isAll)}
      >
        <TextField
          label={t('Topic filter')}
          mono
          list="topics"
          pointer="/query/topic"
          hint={atFirst(
            t(
              'It begins with {slug}/. A + stands for one level, a # at the end for all that follow.',
              { slug },
            ),
          )}
          value={text}
          onValue={setText}
        />
        <Offered id="topics" />
        <Checkbox
          label={t('Configurations too')}
          hint={atFirst(t('They may hold secrets, so they are shown only if asked for.'))}
          checked={isAll}
          onValue={setAll}
        />
        <FormActions>
          <Button type="submit" kind={topic === undefined ? 'primary' : 'plain'} blocked={unable}>
            {topic === undefined ? t('Watch') : t('Watch this instead')}
          </Button>
          {topic === undefined && (
            <Small>{t('The audit log says who watched what, and for how long.')}</Small>
          )}
        </FormActions>
      </Form>
    </Panel>
  )
}

const has = (message: TailMessage, word: string): boolean =>
  `${message.topic}\n${message.client}\n${message.payload}`.toLowerCase().includes(word)

const download = (messages: readonly TailMessage[]): void =>
  downloadText(
    'messages.ndjson',
    messages
      .toReversed()
      .map((each) => `${JSON.stringify(each)}\n`)
      .join(''),
  )

const lostTitle = (isReached: boolean): string =>
  isReached ? t('The stream of messages is interrupted') : t('The service does not answer')

/** Without a device, the way to the first. */
function NoMessageYet() {
  const { id, slug } = useWorkspace()
  const hasNone = useRead('countDevices', { params: { id } }).data?.value === 0
  const connect = <LinkButton to={below(slug, 'devices/new')}>{t('Connect a device')}</LinkButton>
  return (
    <Empty title={t('Nothing yet')} {...(hasNone && { action: connect })}>
      {t('Messages appear here as they are published. To try it, press “Publish…” above.')}
      {hasNone && ` ${t('This workspace has no device yet: connect the first one.')}`}
    </Empty>
  )
}

/** The meaning of an empty list depends on whether messages are received. */
function NothingYet({ status, problem, isReached }: TailState) {
  if (status === 'closed' && problem !== null) {
    return (
      <Empty title={t('Nothing is watched')}>{t('The service has refused it: see above.')}</Empty>
    )
  }
  if (status === 'open') return <NoMessageYet />
  if (status === 'lost') {
    return <Empty title={lostTitle(isReached)}>{t('Messages published now are missed.')}</Empty>
  }
  return status === 'opening' ? (
    <Empty title={t('Opening')}>{t('Messages appear here once the stream is open.')}</Empty>
  ) : (
    <Empty title={t('Paused')}>{t('Messages published now are missed.')}</Empty>
  )
}

const NotWatching = () => (
  <Panel>
    <Empty title={t('Nothing is watched yet')}>
      {t('Choose a topic filter and press Watch. Messages appear here as they are published.')}
    </Empty>
  </Panel>
)

const MISSED = `${t('Messages published now are missed.')} ${t('It is tried again by itself.')}`

interface SeenProps {
  state: TailState
  isPaused: boolean
  onPause: (isPaused: boolean) => void
  onClear: () => void
  onStop: () => void
  /** After a refusal. */
  onAgain: () => void
}

function Seen({ state, isPaused, onPause, onClear, onStop, onAgain }: SeenProps) {
  const [search, setSearch] = useState('')
  const word = search.trim().toLowerCase()
  const { items: messages, skipped, status, problem, isReached } = state
  const shown = word === '' ? messages : messages.filter((each) => has(each, word))
  const refusal = isOfFilter(state) ? null : problem
  return (
    <Stack>
      <Row>
        <Button
          icon={isPaused ? <Play size={15} /> : <Pause size={15} />}
          onClick={() => onPause(!isPaused)}
        >
          {isPaused ? t('Resume') : t('Pause')}
        </Button>
        <Button icon={<Square size={15} />} onClick={onStop}>
          {t('Stop')}
        </Button>
        {refusal === null && <FollowStatus state={state} />}
        <Button
          icon={<Eraser size={15} />}
          blocked={messages.length === 0 ? t('There is nothing to clear.') : undefined}
          onClick={onClear}
        >
          {t('Clear')}
        </Button>
        <Button
          icon={<Download size={15} />}
          blocked={shown.length === 0 ? t('There is nothing to download.') : undefined}
          onClick={() => download(shown)}
        >
          {t('Download')}
        </Button>
        {messages.length > 0 && (
          <End>
            <TextField
              label={t('Search in what is shown')}
              hidesLabel
              type="search"
              placeholder={t('Search in what is shown')}
              value={search}
              onValue={setSearch}
            />
          </End>
        )}
      </Row>
      {status === 'lost' && refusal === null && messages.length > 0 && (
        <Note tone="warn" title={lostTitle(isReached)}>
          {t('Messages published now are missed.')}
        </Note>
      )}
      {refusal !== null && (
        <ProblemNote
          problem={refusal}
          of={t('Messages')}
          meanwhile={status === 'lost' ? MISSED : undefined}
          onRetry={onAgain}
        />
      )}
      {skipped > 0 && (
        <Note tone="warn" title={t('{n} skipped', { n: numberText(skipped) })}>
          {t('More than 50 messages a second come. A narrower topic filter shows all of them.')}
        </Note>
      )}
      {(messages.length > 0 || refusal === null) && (
        <Panel flush>
          <MessageTable
            messages={shown}
            empty={
              word === '' ? (
                <NothingYet {...state} />
              ) : (
                <Empty title={t('No message contains this')}>
                  {t('Search looks at the last 1,000 messages.')}
                </Empty>
              )
            }
          />
        </Panel>
      )}
    </Stack>
  )
}

export default function MessagesPage() {
  const { id } = useWorkspace()
  const [{ topic, config }, setState] = useSearchState<State>()
  const [isPaused, setPaused] = useState(false)
  const [isPublishing, setPublishing] = useState(false)
  const blocked = useBlocked('publishMessage')
  const hidden = useBlocked('tailMessages')
  const hasConfig = config !== undefined
  const isOn = topic !== undefined && !isPaused && hidden === undefined
  const [state, clear, again] = useTail(isOn ? { workspaceId: id, topic, config: hasConfig } : null)
  const watch = (next: string, isAll: boolean): void => {
    clear()
    setPaused(false)
    setState({ topic: next, config: isAll ? 'yes' : undefined })
  }
  const stop = (): void => {
    clear()
    setPaused(false)
    setState({ topic: undefined, config: undefined })
  }
  return (
    <Page
      title={t('Live messages')}
      about={t('What is published in this workspace, as it passes. Nothing is stored.')}
      actions={
        <Button icon={<Send size={15} />} blocked={blocked} onClick={() => setPublishing(true)}>
          {t('Publish…')}
        </Button>
      }
    >
      <Stack>
        <What state={state} topic={topic} hasConfig={hasConfig} onWatch={watch} />
        {topic === undefined && hidden === undefined && <NotWatching />}
        {topic !== undefined && hidden === undefined && (
          <Seen
            {...{
              state,
              isPaused,
              onPause: setPaused,
              onClear: clear,
              onStop: stop,
              onAgain: again,
            }}
          />
        )}
      </Stack>
      {isPublishing && <Publish onClose={() => setPublishing(false)} />}
    </Page>
  )
}
