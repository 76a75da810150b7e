/** A bar that says when the service does not answer, and when it is tried again. */
import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLiveStatus } from '../live/status.ts'
import css from './Shell.module.css'
import { rich, t } from '../words/frame.ts'

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((until - now) / 1000)
  return <>{seconds > 0 ? t('trying again in {seconds} s', { seconds }) : t('trying again')}</>
}

/** What is shown stays, with what was typed; only what is new is missing. */
export function Trouble() {
  const { retryAt } = useLiveStatus()
  return (
    <div role="status">
      {retryAt !== undefined && (
        <div className={css.trouble}>
          <WifiOff size={15} aria-hidden="true" />
          <span>
            {rich('The service does not answer; {when}', {
              when: (
                <>
                  <span aria-hidden="true">
                    <Countdown until={retryAt} />
                  </span>
                  <span className="visually-hidden">{t('it is tried again')}</span>
                </>
              ),
            })}
          </span>
        </div>
      )}
    </div>
  )
}
