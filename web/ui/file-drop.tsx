import { Field } from '@base-ui/react/field'
import { useLingui } from '@lingui/react/macro'
import { useId, useRef, useState, type DragEvent, type Ref } from 'react'
import { Button } from './button.tsx'
import { cx } from './class-names.ts'
import { type FieldProblem, FieldRoot } from './field.tsx'
import { FieldLabel } from './field-parts.tsx'
import { formatBytes } from './format.ts'
import { Icon } from './icon.tsx'

type FileDropProps = FieldProblem & {
  label: string
  hint: string
  /** Extensions for the file picker: '.pdf,.png'. */
  accept: string
  file: File | null
  disabled?: boolean
  onChoose: (file: File) => void
  /** The input that opens the file picker. */
  inputRef?: Ref<HTMLInputElement>
}

/** One file: chosen, dropped, or taken with the phone's camera. */
export function FileDrop({ label, hint, accept, file, disabled = false, onChoose, inputRef, ...rest }: FileDropProps) {
  const { t } = useLingui()
  const id = useId()
  const camera = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const take = (files: FileList | null): void => {
    const [first] = files ?? []
    if (first && !disabled) onChoose(first)
  }
  const drop = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      take(event.dataTransfer.files)
    },
  }
  return (
    <FieldRoot id={id} {...rest}>
      <Field.Label render={<FieldLabel />}>{label}</Field.Label>
      <label
        htmlFor={id}
        {...drop}
        className={cx(
          'relative mt-1.5 grid justify-items-center gap-1 rounded-md border-2 border-dashed p-6 pointer-coarse:p-3 group-data-invalid/field:border-danger text-center has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-focus',
          isOver ? 'border-brand bg-brand-soft' : 'border-line-strong bg-surface hover:border-brand',
          disabled && 'cursor-not-allowed',
        )}
      >
        <Icon name="upload" size={28} />
        <span className="font-semibold">
          {file ? (
            t`Choose another file`
          ) : (
            <>
              <span className="pointer-coarse:hidden">{t`Choose a file or drop it here`}</span>
              <span className="hidden pointer-coarse:inline">{t`Choose a file`}</span>
            </>
          )}
        </span>
        <Field.Description render={<span />} className="text-sm text-balance text-muted">
          {hint}
        </Field.Description>
        <Field.Control
          ref={inputRef}
          id={id}
          // A corrected file may have the same name: a change of the problem checks again.
          value={rest.problem ?? ''}
          className="sr-only"
          onChange={({ target }) => {
            take(target.files)
            // Choosing the same file again must work: it may have been fixed.
            target.value = ''
          }}
          // A file input takes no value.
          render={<input type="file" accept={accept} disabled={disabled} value={undefined} />}
        />
      </label>
      {/* Touch devices have a camera for documents. */}
      <div className="mt-2 hidden pointer-coarse:block">
        <input
          ref={camera}
          type="file"
          accept="image/*"
          capture="environment"
          tabIndex={-1}
          aria-hidden="true"
          className="hidden"
          onChange={({ target }) => {
            take(target.files)
            target.value = ''
          }}
        />
        <Button variant="secondary" block icon="camera" state={disabled ? 'disabled' : 'normal'} onClick={() => camera.current?.click()}>
          {t`Take a photo`}
        </Button>
      </div>
      <p role="status" className="mt-2 text-sm empty:mt-0">
        {file && (
          <>
            <span className="font-semibold wrap-anywhere">{file.name}</span> <span className="text-muted">{formatBytes(file.size)}</span>
          </>
        )}
      </p>
    </FieldRoot>
  )
}
