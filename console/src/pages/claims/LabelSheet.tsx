/** Labels to print and stick on devices: a QR code that opens the device, its key and its name. */
import { useState } from 'react'
import { useList } from '../../api/hooks.ts'
import { isLoopback } from '../../api/loopback.ts'
import { Form, FormActions, RadioCards } from '../../kit/Field.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Labels } from '../../kit/Labels.tsx'
import { Panel, Small } from '../../kit/Layout.tsx'
import { Empty, Note, Unread } from '../../kit/Note.tsx'
import { below } from '../../kit/navigation.tsx'
import { Page } from '../../kit/Shell.tsx'
import { useSearchState } from '../../session/search-state.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { numberText } from '../../kit/numbers.ts'
import { locale } from '../../i18n/language.ts'
import { DeviceFilter } from '../devices/DeviceFilter.tsx'
import { counted, t } from './translations.ts'

/** A page of the list; more labels are further sheets. */
const MAX_LABELS = 200

/** Addresses that other machines cannot open. */
const isLocal = isLoopback(window.location.hostname)

const byTitle = new Intl.Collator(locale, { numeric: true })

const contents = [
  {
    value: 'page',
    label: t('Link to the device page'),
    hint: t('The camera of a phone opens the page of the device in this console, after a sign-in.'),
  },
  { value: 'key', label: t('Device key'), hint: t('For a program that scans labels.') },
] as const

export default function LabelSheet() {
  const { id, slug } = useWorkspace()
  const [{ filter = '', content = 'page' }, setState] = useSearchState<{
    filter: string
    content: string
  }>()
  const [text, setText] = useState(filter)
  const query = { limit: MAX_LABELS, ...(filter !== '' && { filter }) }
  const list = useList('listDevices', { params: { id }, query })
  const { origin } = window.location
  const labels = (list.items ?? [])
    .map((device) => ({
      text:
        content === 'key'
          ? device.device_key
          : `${origin}/console${below(slug, `devices/${device.id}`)}`,
      title: device.device_key,
      note: device.name === device.device_key ? '' : device.name,
    }))
    .sort((a, b) => byTitle.compare(a.title, b.title))
  const missing = list.items === undefined ? t('The devices are being read.') : undefined
  const trail = [{ label: t('Devices'), to: below(slug, 'devices') }]
  return (
    <Page
      title={t('Label sheet')}
      trail={trail}
      about={t(
        'Labels to stick on devices, so that staff can open them here. A phone cannot claim a device with them.',
      )}
    >
      <Labels
        label={t('Labels')}
        labels={labels}
        count={list.items && <Small>{counted(labels.length, '{n} label', '{n} labels')}</Small>}
        missing={list.error ? t('The devices could not be read.') : missing}
      >
        <Panel title={t('Which devices, and what the code says')}>
          <Form
            problem={list.error?.errors.length === 0 ? null : list.error}
            onSubmit={() => setState({ filter: text.trim() })}
          >
            <DeviceFilter
              label={t('Filter')}
              optional
              pointer="/query/filter"
              hint={t(
                'As in the list of devices: tags.floor = ground. Empty: all of them, 200 at a time.',
              )}
              value={text}
              onValue={setText}
            />
            <RadioCards
              label={t('QR code contains')}
              value={content === 'key' ? 'key' : 'page'}
              options={contents}
              onValue={(next) => setState({ content: next === 'page' ? undefined : next })}
            />
            {content !== 'key' && isLocal && (
              <Note tone="warn">
                {t('The links lead to {origin}, which opens on this machine only.', { origin })}{' '}
                {t('To print labels for others, open the console by its public address first.')}
              </Note>
            )}
            <FormActions>
              <Button type="submit">{t('Apply the filter')}</Button>
              {list.hasNextPage && (
                <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                  {t('{n} more', { n: numberText(MAX_LABELS) })}
                </Button>
              )}
            </FormActions>
          </Form>
        </Panel>
        {list.items?.length === 0 && (
          <Panel>
            {filter === '' ? (
              <Empty
                title={t('No devices yet')}
                action={
                  <LinkButton to={below(slug, 'devices/new')}>{t('Connect a device')}</LinkButton>
                }
              >
                {t('Each device gets a label.')}
              </Empty>
            ) : (
              <Empty title={t('No device passes this filter')}>
                {t('Then there is nothing to print.')}
              </Empty>
            )}
          </Panel>
        )}
        {list.error !== null && list.error.errors.length === 0 && (
          <Unread problem={list.error} of={t('Devices')} onRetry={list.refetch} />
        )}
      </Labels>
    </Page>
  )
}
