/** The events of the workspace: the newest ones, and each new one as it comes. */
import { Link } from '@tanstack/react-router'
import { Download, Eye, Pause, Play } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from '../../kit/Button.tsx'
import { FollowStatus } from '../../kit/FollowStatus.tsx'
import { Facts, None, Panel, Row, Small, Stack } from '../../kit/Layout.tsx'
import { ForbiddenPage } from '../../kit/ListPage.tsx'
import { below } from '../../kit/navigation.tsx'
import { Empty, Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { Dialog } from '../../kit/Overlay.tsx'
import { Page } from '../../kit/Shell.tsx'
import { type Column, Table, wholeList } from '../../kit/Table.tsx'
import { downloadText, exactTime, Id, Json, Timestamp } from '../../kit/Text.tsx'
import { type FeedEvent, type FeedState, useFeed } from '../../live/feed.ts'
import { useHeld } from '../../session/held.ts'
import { useSearchState } from '../../session/search-state.ts'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { Who } from '../../session/Who.tsx'
import { EventFilter } from './EventFilter.tsx'
import { foldRuns, type Shown } from './event-runs.ts'
import { EventSentence } from './EventSentence.tsx'
import { eventText, subjectOf } from './event-labels.ts'
import { rich, t } from './translations.ts'

interface State extends Record<string, string> {
  types: string
  device: string
  newest: string
  /** The id of the one that is shown as a whole. */
  event: string
}

const NEWEST = 100
const MORE = 1_000
const SETTLED_MS = 1_000

const Whole = ({ event, onClose }: { event: FeedEvent; onClose: () => void }) => (
  <Dialog title={eventText(event.type)} open wide onClose={onClose}>
    <Stack tight>
      <Facts
        facts={[
          [t('Type'), <code key="type">{event.type}</code>],
          [t('When'), exactTime(event.occurred_at)],
          [
            t('Id'),
            <Id key="id" full>
              {event.id}
            </Id>,
          ],
        ]}
      />
      <Json label={t('The event')} value={withoutNumber(event)} />
    </Stack>
  </Dialog>
)

interface ElsewhereProps {
  isFiltered: boolean
  onShowAll: () => void
  onClose: () => void
}

/** Where a filter may be why, all are shown; and else the event is older, or not kept any more. */
function Elsewhere({ isFiltered, onShowAll, onClose }: ElsewhereProps) {
  const { slug } = useWorkspace()
  const n = numberText(MORE)
  return (
    <Note
      tone="warn"
      title={t('The linked event is not in this list')}
      action={
        <Row>
          {isFiltered && <Button onClick={onShowAll}>{t('Show all events')}</Button>}
          <Button kind="quiet" onClick={onClose}>
            {t('Dismiss')}
          </Button>
        </Row>
      }
    >
      {isFiltered
        ? t('It may be of a type or a device that is not chosen, or older than the newest {n}.', {
            n,
          })
        : rich('It is older than the newest {n}. What was changed is in the {log}, too.', {
            n,
            log: <Link to={below(slug, 'audit')}>{t('audit log')}</Link>,
          })}
    </Note>
  )
}

/** The content after the last row. */
function Older({ onMore }: { onMore: (() => void) | undefined }) {
  const { slug } = useWorkspace()
  if (onMore !== undefined) {
    return (
      <Row>
        <Button onClick={onMore}>
          {t('Show up to {n} earlier ones', { n: numberText(MORE) })}
        </Button>
      </Row>
    )
  }
  return (
    <Small>
      {rich(
        'These are the newest {n}. The {log} goes further back, and a {webhook} sends each event as it happens.',
        {
          n: numberText(MORE),
          log: <Link to={below(slug, 'audit')}>{t('audit log')}</Link>,
          webhook: <Link to={below(slug, 'webhooks')}>{t('webhook')}</Link>,
        },
      )}
    </Small>
  )
}

const withoutNumber = ({ number: _number, ...event }: FeedEvent) => event

type EventRow = Shown<FeedEvent>

function Subject({ event }: EventRow) {
  const id = subjectOf(event)
  if (id === undefined) return <None />
  return <Who id={id} kind={event.type.startsWith('invoice.') ? 'invoice' : undefined} />
}

interface RowActs {
  show: (event: FeedEvent) => void
  /** Opens or folds a run. */
  turn: (key: string) => void
}

const columnsOf = ({ show, turn }: RowActs): readonly Column<EventRow>[] => [
  { name: t('When'), wraps: true, cell: ({ event }) => <Timestamp at={event.occurred_at} /> },
  {
    name: t('Event'),
    wraps: true,
    heads: true,
    cell: ({ event, run }) => (
      <>
        <EventSentence type={event.type} data={event.data} />{' '}
        {run !== undefined && (
          <Button kind="text" aria-expanded={run.isOpen} onClick={() => turn(run.key)}>
            {t('and {n} more like it', { n: numberText(run.others) })}
          </Button>
        )}
      </>
    ),
  },
  { name: t('Subject'), wraps: true, cell: Subject },
  { name: t('Type'), isDetail: true, cell: ({ event }) => <code>{event.type}</code> },
  {
    name: t('Whole'),
    hidesName: true,
    number: true,
    stays: true,
    opens: true,
    cell: ({ event }) => (
      <IconButton
        label={t('Show {event} {id}', { event: event.type, id: event.id.slice(-6) })}
        icon={<Eye size={15} />}
        onClick={() => show(event)}
      />
    ),
  },
]

const download = (items: FeedState['items']): void => {
  const lines = items.toReversed().map((each) => `${JSON.stringify(withoutNumber(each))}\n`)
  downloadText('events.ndjson', lines.join(''))
}

/**
 * Whether what there is has come once: the stream does not say where that ends, but it comes
 * without a pause.
 */
function useSettled({ status, items }: FeedState): boolean {
  const [settled, setSettled] = useState<FeedState['items']>()
  useEffect(() => {
    if (status !== 'open') return undefined
    const timer = setTimeout(() => setSettled(items), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [status, items])
  return settled !== undefined
}

interface FeedProps {
  state: FeedState
  isPaused: boolean
  onPause: (isPaused: boolean) => void
  onMore: (() => void) | undefined
  /** After a refusal. */
  onAgain: () => void
}

function Feed({ state, isPaused, onPause, onMore, onAgain }: FeedProps) {
  const [{ types = '', device = '', event }, setState] = useSearchState<State>()
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [columns] = useState(() =>
    columnsOf({
      show: ({ id }) => setState({ event: id }),
      turn: (key) =>
        setOpen((before) => {
          const next = new Set(before)
          if (!next.delete(key)) next.add(key)
          return next
        }),
    }),
  )
  const { status, items, problem } = state
  const whole = useHeld(
    items.find(({ id }) => id === event),
    event,
  )
  const close = (): void => setState({ event: undefined })
  const isElsewhere = useSettled(state) && event !== undefined && whole === undefined
  const isNothing = items.length === 0
  const isLoading = isNothing && (status === 'opening' || status === 'closed')
  return (
    <Stack>
      <Row>
        <Button
          icon={isPaused ? <Play size={15} /> : <Pause size={15} />}
          onClick={() => onPause(!isPaused)}
        >
          {isPaused ? t('Resume') : t('Pause')}
        </Button>
        <Button
          icon={<Download size={15} />}
          blocked={isNothing ? t('There is nothing to download.') : undefined}
          onClick={() => download(items)}
        >
          {t('Download')}
        </Button>
        <EventFilter
          chosen={{ types, device }}
          onChosen={(chosen) => setState({ ...chosen, newest: undefined, event: undefined })}
        />
      </Row>
      {problem !== null && (
        <ProblemNote
          problem={problem}
          of={t('Events')}
          meanwhile={status === 'lost' ? t('It is tried again by itself.') : undefined}
          onRetry={onAgain}
        />
      )}
      {isElsewhere && (
        <Elsewhere
          isFiltered={types !== '' || device !== ''}
          onShowAll={() => setState({ types: '', device: '' })}
          onClose={close}
        />
      )}
      {(!isNothing || problem === null) && (
        <Panel flush>
          <Table
            label={t('Events')}
            columns={columns}
            list={wholeList(isLoading ? undefined : foldRuns(items, open))}
            keyOf={(row) => row.event.id}
            empty={
              status === 'open' ? (
                <Empty title={t('No such event yet')}>
                  {t('Each change writes an event. New ones appear here as they come.')}
                </Empty>
              ) : (
                <Empty title={t('The events cannot be read now')}>
                  {t('It is tried again by itself.')}
                </Empty>
              )
            }
          />
        </Panel>
      )}
      {items.length >= (onMore === undefined ? MORE : NEWEST) && <Older onMore={onMore} />}
      {whole !== undefined && <Whole event={whole} onClose={close} />}
    </Stack>
  )
}

export default function EventsPage() {
  const { id } = useWorkspace()
  const blocked = useBlocked('readEvents')
  const [{ types = '', device = '', newest = '', event }, setState] = useSearchState<State>()
  const [isPaused, setPaused] = useState(false)
  // A link to an event may be opened long after it.
  const [isLinked] = useState(event !== undefined)
  const count = newest === '' && !isLinked ? NEWEST : MORE
  const query = {
    newest: count,
    ...(types !== '' && { types }),
    ...(device !== '' && { device_id: device }),
  }
  const input = { params: { id }, query }
  const [state, , again] = useFeed(blocked !== undefined || isPaused ? null : input)
  if (blocked !== undefined) return <ForbiddenPage title={t('Events')} why={blocked} />
  return (
    <Page
      title={t('Events')}
      note={state.problem === null && <FollowStatus state={state} />}
      about={t(
        'Every change in this workspace, as it happens. Webhooks receive the same; who did it is in the audit log.',
      )}
    >
      <Feed
        state={state}
        isPaused={isPaused}
        onAgain={again}
        onPause={setPaused}
        onMore={count === MORE ? undefined : () => setState({ newest: 'all' })}
      />
    </Page>
  )
}
