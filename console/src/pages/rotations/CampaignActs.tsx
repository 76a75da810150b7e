/** The actions on a rotation campaign, and the outcome of a halted one. */
import { useNavigate } from '@tanstack/react-router'
import { Check, Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { useButtonCall, useNextCall } from '../../kit/ApiPane.tsx'
import { Button, LinkButton } from '../../kit/Button.tsx'
import { Facts, Stack } from '../../kit/Layout.tsx'
import { Note, ProblemNote } from '../../kit/Note.tsx'
import { numberText, percentText } from '../../kit/numbers.ts'
import { below } from '../../kit/navigation.tsx'
import { ConfirmDialog } from '../../kit/Overlay.tsx'
import { useBlocked, useWorkspace } from '../../session/workspace.tsx'
import { AskAgain } from './AskAgain.tsx'
import {
  type CampaignProps,
  isLastWave,
  isOver,
  nextWaveOf,
  ofCampaign,
  wavesOf,
} from './campaign-labels.tsx'
import { t } from './translations.ts'

const REFRESHES = ['getRotationCampaign', 'listRotationCampaigns'] as const

interface DialogProps extends CampaignProps {
  onClose: () => void
}

function CancelCampaign({ campaign, onClose }: DialogProps) {
  const cancel = useChange('cancelRotationCampaign', REFRESHES)
  const params = ofCampaign(campaign)
  useNextCall('cancelRotationCampaign', { params })
  const { counts, status } = campaign
  const { due, waiting, notified } = counts
  const isRunning = status === 'running'
  return (
    <ConfirmDialog
      title={t('Cancel this rotation?')}
      act={t('Cancel the rotation')}
      keep={isRunning ? t('Keep it running') : t('Keep it')}
      busy={cancel.isPending}
      problem={cancel.error}
      onConfirm={() => cancel.mutate({ params }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Stack>
        <p>
          {t(
            'No further device is asked. Those that were asked may still rotate; if they do not, their credentials stay valid.',
          )}{' '}
          {isRunning && t('To continue later, pause it instead.')}
        </p>
        <Facts
          facts={[
            [t('Not asked yet'), numberText(due)],
            [t('Asked, not rotated yet'), numberText(waiting + notified)],
          ]}
        />
      </Stack>
    </ConfirmDialog>
  )
}

/** After a halt: the next wave, or the end if no device is left to be asked. */
function ResumeHalted({ campaign, onClose }: DialogProps) {
  const resume = useChange('resumeRotationCampaign', REFRESHES)
  const params = ofCampaign(campaign)
  useNextCall('resumeRotationCampaign', { params })
  const isLast = isLastWave(campaign)
  const { counts, wave } = campaign
  const next = { wave: numberText(wave + 1), waves: numberText(wavesOf(campaign)) }
  return (
    <ConfirmDialog
      title={isLast ? t('Finish this rotation?') : t('Resume this rotation?')}
      act={isLast ? t('Finish the rotation') : t('Resume the rotation')}
      kind="primary"
      busy={resume.isPending}
      problem={resume.error}
      onConfirm={() => resume.mutate({ params }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Stack>
        <p>
          {isLast
            ? t(
                'Its last wave is over: it is completed with these numbers, and asks no device again. Those that were asked may still rotate.',
              )
            : t('Wave {wave} of {waves} is next. Only later waves count towards the limit.', next)}
        </p>
        <Facts
          facts={[
            ...(isLast
              ? [[t('Confirmed'), numberText(counts.confirmed)] as const]
              : [[t('Devices of the next wave'), numberText(nextWaveOf(campaign))] as const]),
            [t('Failed'), numberText(counts.failed)],
            [t('Asked, not reached yet'), numberText(counts.waiting)],
          ]}
        />
      </Stack>
    </ConfirmDialog>
  )
}

function PauseButton({ campaign }: CampaignProps) {
  const pause = useChange('pauseRotationCampaign', REFRESHES)
  const blocked = useBlocked('pauseRotationCampaign')
  const params = ofCampaign(campaign)
  const pausing = useButtonCall('pauseRotationCampaign', { params })
  return (
    <>
      {pause.error !== null && <ProblemNote problem={pause.error} />}
      <Button
        icon={<Pause size={15} />}
        blocked={blocked}
        busy={pause.isPending}
        onClick={() => pause.mutate({ params })}
        {...pausing}
      >
        {t('Pause')}
      </Button>
    </>
  )
}

function ResumeButton({ campaign }: CampaignProps) {
  const resume = useChange('resumeRotationCampaign', REFRESHES)
  const blocked = useBlocked('resumeRotationCampaign')
  const params = ofCampaign(campaign)
  const resuming = useButtonCall('resumeRotationCampaign', { params })
  return (
    <>
      {resume.error !== null && <ProblemNote problem={resume.error} />}
      <Button
        kind="primary"
        icon={<Play size={15} />}
        blocked={blocked}
        busy={resume.isPending}
        onClick={() => resume.mutate({ params })}
        {...resuming}
      >
        {t('Resume')}
      </Button>
    </>
  )
}

type Act = 'resume' | 'cancel' | 'again'

export function Actions({ campaign }: CampaignProps) {
  const [act, setAct] = useState<Act>()
  const navigate = useNavigate()
  const { slug } = useWorkspace()
  const blocked = useBlocked('pauseRotationCampaign')
  const blockedAgain = useBlocked('createRotationCampaign')
  const { status, counts } = campaign
  const isLast = isLastWave(campaign)
  const close = (): void => setAct(undefined)
  const show = (id: string): void => void navigate({ to: below(slug, `rotations/${id}`) })
  return (
    <>
      {status === 'running' && <PauseButton campaign={campaign} />}
      {status === 'paused' && <ResumeButton campaign={campaign} />}
      {status === 'halted' && (
        <Button
          kind={isLast ? 'plain' : 'primary'}
          icon={isLast ? <Check size={15} /> : <Play size={15} />}
          blocked={blocked}
          onClick={() => setAct('resume')}
        >
          {isLast ? t('Finish…') : t('Resume…')}
        </Button>
      )}
      {!isLast && !isOver(campaign) && (
        <Button kind="danger" blocked={blocked} onClick={() => setAct('cancel')}>
          {t('Cancel…')}
        </Button>
      )}
      {(isLast || isOver(campaign)) && counts.failed > 0 && (
        <Button kind="primary" blocked={blockedAgain} onClick={() => setAct('again')}>
          {t('Ask the failed again…')}
        </Button>
      )}
      {act === 'resume' && <ResumeHalted campaign={campaign} onClose={close} />}
      {act === 'cancel' && <CancelCampaign campaign={campaign} onClose={close} />}
      {act === 'again' && <AskAgain campaign={campaign} onMade={show} onClose={close} />}
    </>
  )
}

// The share that halted it is not in the response: after a resume it counts later waves only.
export function Halted({ campaign }: CampaignProps) {
  const { slug } = useWorkspace()
  const { counts, wave, max_failure_rate } = campaign
  const words = {
    share: percentText(max_failure_rate),
    failed: numberText(counts.failed),
    total: numberText(counts.total),
    wave: numberText(wave + 1),
    waves: numberText(wavesOf(campaign)),
  }
  return (
    <Note
      tone="bad"
      title={t('Halted: too many of the devices have failed')}
      action={
        <LinkButton to={below(slug, `rotations/${campaign.id}`)} search={{ status: 'failed' }}>
          {t('Show those that failed')}
        </LinkButton>
      }
    >
      {isLastWave(campaign)
        ? t(
            'The limit is {share}. Its last wave is over: finished, it is completed with {failed} of {total} devices failed. See why they failed, and ask those again in a new rotation.',
            words,
          )
        : t(
            'The limit is {share}. Those that failed are below. Resumed, it continues with wave {wave} of {waves}, and only later waves count.',
            words,
          )}
    </Note>
  )
}
