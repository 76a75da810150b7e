/** Where one is in a sequence of steps. */
import { Check } from 'lucide-react'
import css from './Stepper.module.css'

export const Stepper = ({ steps, at }: { steps: readonly string[]; at: number }) => (
  <ol className={css.steps}>
    {steps.map((step, index) => (
      <li
        key={step}
        className={index < at ? css.done : undefined}
        aria-current={index === at ? 'step' : undefined}
      >
        <span className={css.mark} aria-hidden="true">
          {index < at ? <Check size={12} /> : index + 1}
        </span>
        {step}
      </li>
    ))}
  </ol>
)
