/** A bar that says that nothing new is heard of the service, and when it is tried again. */
import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLiveStatus } from '../live/status.ts'
import css from './Trouble.module.css'
import { rich, t } from '../i18n/frame.ts'

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((until - now) / 1000)
  return <>{seconds > 0 ? t('trying again in {seconds} s', { seconds }) : t('trying again')}</>
}

/** The shown data stays, with the typed texts; only newer data is missing. */
export function Trouble() {
  const { retryAt, isReached = false } = useLiveStatus()
  const when = retryAt !== undefined && (
    <>
      <span aria-hidden="true">
        <Countdown until={retryAt} />
      </span>
      <span className="visually-hidden">{t('it is tried again')}</span>
    </>
  )
  return (
    <div role="status">
      {retryAt !== undefined && (
        <div className={css.trouble}>
          <WifiOff size={15} aria-hidden="true" />
          <span>
            {isReached
              ? rich('Live updates are interrupted; {when}', { when })
              : rich('The service does not answer; {when}', { when })}
          </span>
        </div>
      )}
    </div>
  )
}
