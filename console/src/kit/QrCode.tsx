/** A QR code, drawn as SVG. */
import { encode } from 'uqr'
import css from './Text.module.css'

export default function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 0 })
  const path = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg className={css.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path.join('')} fill="currentColor" />
    </svg>
  )
}
