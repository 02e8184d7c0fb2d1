import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'

/** A word more on hover and focus. It never opens on a tap, so what it says must also stand elsewhere as text; without words it stays away. */
export function Tooltip({ text, children }: { text: string | null; children: ReactElement }) {
  return (
    <Base.Root disabled={text === null}>
      <Base.Trigger render={children} delay={150} />
      <Base.Portal>
        <Base.Positioner sideOffset={8} className="z-60">
          <Base.Popup className="rounded-sm bg-ink px-3 py-1.5 text-sm text-raised shadow-2">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
