/** Everything that happened to the device, by day; its kinds can be chosen. */
import { useList } from '../../api/hooks.ts'
import { Button } from '../../kit/Button.tsx'
import { Choices, Panel, Stack } from '../../kit/Layout.tsx'
import { Empty, Note } from '../../kit/Note.tsx'
import { Timeline } from '../../kit/Timeline.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { ofDevice, type SectionProps } from './of-device.ts'
import { withinSentence } from './reasons.ts'
import { happeningOf, type Kind, kindNames } from './happenings.tsx'
import { foldReplaced } from './replaced.ts'
import { t } from './translations.ts'

const kinds = Object.keys(kindNames) as Kind[]

function Kinds() {
  const [{ kinds: chosen = '' }, change] = useSearchState<{ kinds: string }>()
  const names = new Set(chosen.split(',').filter(Boolean))
  const toggle = (kind: Kind): void => {
    const next = new Set(names)
    if (!next.delete(kind)) next.add(kind)
    change({ kinds: kinds.filter((each) => next.has(each)).join(',') })
  }
  return (
    <Choices label={t('What is shown')}>
      <Button aria-pressed={names.size === 0} onClick={() => change({ kinds: undefined })}>
        {t('All')}
      </Button>
      {kinds.map((kind) => (
        <Button key={kind} aria-pressed={names.has(kind)} onClick={() => toggle(kind)}>
          {kindNames[kind]}
        </Button>
      ))}
    </Choices>
  )
}

export function Story({ device }: SectionProps) {
  const [{ kinds: chosen }] = useSearchState<{ kinds: string }>()
  const list = useList(
    'getDeviceTimeline',
    { params: ofDevice(device), query: { limit: 50, ...(chosen && { kinds: chosen }) } },
    { isLive: true },
  )
  const leftOut = list.data?.pages[0]?.left_out ?? []
  return (
    <Stack>
      <Kinds />
      {leftOut.length > 0 && (
        <Note
          title={t('Not shown: {kinds}.', {
            kinds: leftOut.map((kind) => withinSentence(kindNames[kind])).join(', '),
          })}
        >
          {t('Your role may not read them; owners and admins may.')}
        </Note>
      )}
      <Panel title={t('Newest first')} flush>
        <Timeline
          label={t('Timeline')}
          of={t('The timeline')}
          list={{ ...list, items: list.items && foldReplaced(list.items) }}
          view={happeningOf(device)}
          empty={
            <Empty title={t('Nothing of this kind')}>
              {t('Connections, commands, changes and notes appear here as they happen.')}
            </Empty>
          }
        />
      </Panel>
    </Stack>
  )
}
