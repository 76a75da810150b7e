/**
 * The scope of a dangerous action, in numbers, in the dialog before it. Each is read as that opens.
 */
import type { DeviceCount } from '../../../sdk/schema.ts'
import { useRead } from '../api/hooks.ts'
import type { Problem } from '../api/problem.ts'
import { useWorkspace } from '../session/workspace.tsx'
import { t } from '../i18n/frame.ts'
import { Pending, type PendingQuery } from './Note.tsx'
import { countText } from './numbers.ts'

/** The most that a list gives at once: of more, it is known only that there are more. */
export const MAX_COUNT = 200

interface CountProps {
  data: DeviceCount | undefined
  error: Problem | null
}

/** The act can be confirmed without it. A number read before is not a present one. */
export function Count({ data, error }: CountProps) {
  if (error !== null) return <>{t('not known')}</>
  return <>{data === undefined ? '…' : countText(data)}</>
}

/** Whether the service refuses what is being typed: the form says so once it is sent. */
export const isRefusal = (error: Problem | null): boolean => (error?.errors.length ?? 0) > 0

/** In place of the number that a form would say, while it is typed. */
export const UnreadCount = ({ query, of }: { query: PendingQuery; of: string }) =>
  query.error !== null && !isRefusal(query.error) && <Pending query={query} of={of} />

/** `3 devices`, once they are counted. */
export function DevicesText({ count }: { count: DeviceCount | undefined }) {
  if (count === undefined) return <>…</>
  const isOne = count.value === 1 && !count.is_lower_bound
  return <>{isOne ? t('1 device') : t('{count} devices', { count: countText(count) })}</>
}

interface Asked<Data> {
  data: Data | undefined
  error: Problem | null
  isPlaceholderData: boolean
}

/** The response to the present request; undefined while only that to an earlier one is there. */
export const currentOf = <Data,>({ data, error, isPlaceholderData }: Asked<Data>) =>
  error !== null || isPlaceholderData ? undefined : data

interface Page {
  items: readonly unknown[]
  next_cursor?: string | null
}

export const ofPage = (page: Page | undefined): DeviceCount | undefined =>
  page && { value: page.items.length, is_lower_bound: page.next_cursor != null }

/** How many devices pass a filter. */
export function DevicesCounted({ filter }: { filter: string }) {
  const { id } = useWorkspace()
  const { data, error } = useRead('countDevices', { params: { id }, query: { filter } })
  return <Count data={data} error={error} />
}

/** How many live sessions a device or a login has. */
export function SessionsCounted({ of }: { of: string }) {
  const { id } = useWorkspace()
  const query = { filter: `principal_id = ${of}`, limit: MAX_COUNT }
  const { data, error } = useRead('listConnections', { params: { id }, query })
  return <Count data={ofPage(data)} error={error} />
}

/** How many commands a device has not answered yet. */
export function CommandsCounted({ of }: { of: string }) {
  const { id } = useWorkspace()
  const query = { filter: 'status = pending OR status = sent', limit: MAX_COUNT }
  const { data, error } = useRead('listCommands', { params: { id, device_id: of }, query })
  return <Count data={ofPage(data)} error={error} />
}

/** How many rules of its own a login has. */
export function RulesCounted({ of }: { of: string }) {
  const { id } = useWorkspace()
  const { data, error } = useRead('listMqttPrincipalAcls', { params: { id, principal_id: of } })
  return <Count data={ofPage(data)} error={error} />
}

/** How many deliveries of a webhook wait. */
export function useWaitingDeliveries(webhookId: string): CountProps {
  const { id } = useWorkspace()
  const query = { status: 'waiting' as const, limit: MAX_COUNT }
  const { data, error } = useRead('listWebhookDeliveries', {
    params: { id, webhook_id: webhookId },
    query,
  })
  return { data: ofPage(data), error }
}
