/** A new campaign over the devices that failed in another one, in the same waves. */
import { useEffect } from 'react'
import type { CreateRotationCampaign, RotationCampaign } from '../../../../sdk/schema.ts'
import { useChange, useList } from '../../api/hooks.ts'
import { useNextCall } from '../../kit/ApiPane.tsx'
import { Pending } from '../../kit/Note.tsx'
import { numberText } from '../../kit/numbers.ts'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { type CampaignProps, ofCampaign } from './campaign-labels.tsx'
import { counted, t } from './translations.ts'

/** As many as a campaign takes by their ids. */
const MAX_DEVICES = 10_000
const PAGE = 200

/** Devices that have not used their new passwords and still exist, page after page. */
function useFailed(campaign: RotationCampaign) {
  const query = { filter: 'code = not_confirmed', limit: PAGE }
  const list = useList('listRotationCampaignDevices', { params: ofCampaign(campaign), query })
  const { items = [], hasNextPage, isFetching, error, fetchNextPage } = list
  const hasMore = hasNextPage && items.length < MAX_DEVICES
  const readsNext = hasMore && !isFetching && error === null
  useEffect(() => {
    if (readsNext) void fetchNextPage()
  }, [readsNext, fetchNextPage])
  const present = items.filter(({ device_key }) => device_key !== null).slice(0, MAX_DEVICES)
  return {
    list,
    isUnread: list.items === undefined || hasMore,
    ids: present.map(({ device_id }) => device_id),
    deleted: items.filter(({ device_key }) => device_key === null).length,
  }
}

interface AskAgainProps extends CampaignProps {
  onMade: (id: string) => void
  onClose: () => void
}

export function AskAgain({ campaign, onMade, onClose }: AskAgainProps) {
  const create = useChange('createRotationCampaign', ['listRotationCampaigns'])
  const { list, isUnread, ids, deleted } = useFailed(campaign)
  const { workspace_id, wave_size, wave_percent } = campaign
  const { pause_s, confirm_within_s, max_failure_rate } = campaign
  const body: CreateRotationCampaign = {
    device_ids: ids,
    ...(wave_size === null ? { wave_percent: wave_percent ?? 100 } : { wave_size }),
    pause_s,
    confirm_within_s,
    max_failure_rate,
  }
  const input = { params: { id: workspace_id }, body }
  useNextCall('createRotationCampaign', input)
  const unread = isUnread ? t('It is not known yet which devices failed.') : undefined
  const blocked = !isUnread && ids.length === 0 ? t('None of them can be asked again.') : unread
  const start = (): void =>
    create.mutate(input, {
      onSuccess: ({ id }) => {
        onClose()
        onMade(id)
      },
    })
  return (
    <ConfirmDialog
      title={t('Ask the failed devices again?')}
      act={t('Start a rotation')}
      kind="primary"
      busy={create.isPending}
      problem={create.error}
      {...(blocked !== undefined && { blocked })}
      onConfirm={start}
      onClose={onClose}
    >
      {isUnread ? (
        <Pending query={list} of={t('The devices that failed')} />
      ) : (
        <p>
          {counted(
            ids.length,
            '{n} device that failed is asked in a new rotation, with the waves and limits of this one.',
            '{n} devices that failed are asked in a new rotation, with the waves and limits of this one.',
          )}
          {deleted > 0 &&
            ` ${counted(deleted, '{n} device that failed was deleted since.', '{n} devices that failed were deleted since.')}`}
          {ids.length === MAX_DEVICES &&
            ` ${t('A rotation takes {n} at most.', { n: numberText(MAX_DEVICES) })}`}
        </p>
      )}
    </ConfirmDialog>
  )
}
