/** Buttons, and links that look like them. */
import { Link, type LinkProps } from '@tanstack/react-router'
import {
  cloneElement,
  type ComponentProps,
  createContext,
  type ReactElement,
  type ReactNode,
  use,
} from 'react'
import css from './Button.module.css'

/** `text` stands within a sentence. */
export type ButtonKind = 'plain' | 'primary' | 'danger' | 'quiet' | 'text'

interface Appearance {
  kind?: ButtonKind
  icon?: ReactNode
  wide?: boolean
}

interface ButtonProps extends Appearance, Omit<ComponentProps<'button'>, 'disabled'> {
  busy?: boolean
  /** Why it can't be used now, for people; the button stays focusable so that all can read it. */
  blocked?: string | undefined
}

const classOf = ({ kind = 'plain', wide }: Appearance, isIcon = false): string =>
  [css.button, css[kind], wide && css.wide, isIcon && css.icon].filter(Boolean).join(' ')

export interface TipProps {
  tip: string
  children: ReactElement<{
    title?: string
    'aria-disabled'?: boolean | undefined
    'aria-description'?: string
  }>
}

const plainTip = ({ tip, children }: TipProps) => cloneElement(children, { title: tip })

/**
 * The component that draws hints. The frame of the pages behind the sign-in provides its own; the
 * others do without that code, and leave hints to the browser.
 */
export const Tips = createContext<(props: TipProps) => ReactElement>(plainTip)

/** A hint next to a control, for mouse and keyboard. */
export const WithTip = (props: TipProps) => use(Tips)(props)

export function Button({
  kind,
  icon,
  wide,
  busy,
  blocked,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const isOff = busy === true || blocked !== undefined
  const button = (
    <button
      type="button"
      {...rest}
      className={classOf({ ...(kind && { kind }), ...(wide && { wide }) })}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {busy === true ? <span className={css.spinner} aria-hidden="true" /> : icon}
      {children}
    </button>
  )
  return blocked === undefined ? button : <WithTip tip={blocked}>{button}</WithTip>
}

interface IconButtonProps extends Omit<ButtonProps, 'icon' | 'children' | 'busy'> {
  label: string
  icon: ReactNode
}

export function IconButton({ label, icon, kind = 'quiet', blocked, ...rest }: IconButtonProps) {
  return (
    <WithTip tip={blocked ?? label}>
      <button
        type="button"
        {...rest}
        className={classOf({ kind }, true)}
        aria-label={label}
        aria-disabled={blocked !== undefined || undefined}
        {...(blocked !== undefined && { onClick: undefined })}
      >
        {icon}
      </button>
    </WithTip>
  )
}

type LinkButtonProps = Appearance & LinkProps & { children: ReactNode }

export const LinkButton = ({ kind, icon, wide, children, ...link }: LinkButtonProps) => (
  <Link className={classOf({ ...(kind && { kind }), ...(wide && { wide }) })} {...link}>
    {icon}
    {children}
  </Link>
)
