/** Takes a file: dropped, or chosen in the browser's own dialog. */
import { FileUp } from 'lucide-react'
import type { ReactNode } from 'react'
import css from './FileDrop.module.css'

interface FileDropProps {
  label: string
  /** As in HTML, such as `.csv,text/csv`. */
  accept: string
  onFile: (file: File) => void
  children: ReactNode
}

/** The input lies over all of it, unseen: browsers let files be dropped on it. */
export const FileDrop = ({ label, accept, onFile, children }: FileDropProps) => (
  <label className={css.drop}>
    <FileUp size={22} aria-hidden="true" />
    <b>{label}</b>
    <span>{children}</span>
    <input
      type="file"
      accept={accept}
      onChange={({ target }) => {
        const [file] = target.files ?? []
        if (file !== undefined) onFile(file)
        // The same file can be chosen again after it was corrected.
        target.value = ''
      }}
    />
  </label>
)
