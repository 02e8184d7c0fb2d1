import { Tooltip as Base } from '@base-ui/react/tooltip'

/** A hint beside an element; web/ui/action-button.tsx says when it is shown. */
export function Tooltip({ anchor, text, onClose }: { anchor: Element; text: string; onClose: () => void }) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={8} className="z-60">
          <Base.Popup className="rounded-sm bg-ink px-3 py-1.5 text-sm text-raised shadow-2">{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
