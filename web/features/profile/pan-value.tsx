import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { Button } from '#web/ui/button.tsx'

/** A PAN with its middle covered until asked for: phones are read over shoulders. */
export function PanValue({ pan }: { pan: string }) {
  const { t } = useLingui()
  const [shown, setShown] = useState(false)
  return (
    <span className="flex items-center justify-between gap-2">
      {shown ? pan : pan.slice(0, 5) + '•'.repeat(Math.max(pan.length - 6, 0)) + pan.slice(-1)}
      <Button
        variant="quiet"
        size="sm"
        className="-mr-3"
        icon={shown ? 'eyeOff' : 'eye'}
        onClick={() => setShown(!shown)}
        aria-label={shown ? t`Hide PAN` : t`Show PAN`}
      >
        {shown ? t`Hide` : t`Show`}
      </Button>
    </span>
  )
}
