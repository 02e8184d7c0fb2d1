import { useLingui } from '@lingui/react/macro'
import { CopyButton } from '#web/ui/copy-button.tsx'

/** The payment's reference, always in sight while one waits, to be copied or read out to support. */
export function ReferenceBox({ reference }: { reference: string }) {
  const { t } = useLingui()
  return (
    <div className="flex items-center justify-between gap-2 rounded-md border border-dashed border-line-strong bg-raised py-1 pr-1 pl-4">
      <div className="min-w-0">
        <p className="text-xs text-muted">{t`Payment reference`}</p>
        <p className="font-semibold break-all select-all">{reference}</p>
      </div>
      <CopyButton text={reference} />
    </div>
  )
}
