import { useState } from 'react'
import { designPath, paths } from '#web/app/paths.ts'
import { DpdBadge } from '#web/loan/days.tsx'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Badge, type Tone } from '#web/ui/badge.tsx'
import type { ButtonSize, ButtonState, ButtonVariant } from '#web/ui/button-class.ts'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog, Dialog } from '#web/ui/dialog.tsx'
import { ButtonLink, LinkTabs, TextLink } from '#web/ui/links.tsx'
import { Pagination } from '#web/ui/pagination.tsx'
import { Part, Row } from './part.tsx'

const variants: readonly ButtonVariant[] = ['primary', 'secondary', 'quiet', 'danger']
const sizes: readonly ButtonSize[] = ['sm', 'md', 'lg']
const states: readonly ButtonState[] = ['normal', 'disabled', 'not_permitted', 'loading', 'error']
const tones: readonly Tone[] = ['neutral', 'positive', 'caution', 'danger', 'info']

/** All controls in every state; use the pointer and the Tab key to see hover and focus. */
export function ControlStates() {
  return (
    <>
      <Part title="Buttons">
        {variants.map((variant) => (
          <Row key={variant} name={variant}>
            {states.map((state) => (
              <Button key={state} variant={variant} state={state}>
                {state}
              </Button>
            ))}
          </Row>
        ))}
        <Row name="Sizes">
          {sizes.map((size) => (
            <Button key={size} size={size} icon="calendar" iconAfter="arrowRight">
              {size}
            </Button>
          ))}
        </Row>
        <Row name="With its reason">
          <ActionButton permission="denied">Request disbursal</ActionButton>
          <ActionButton disabledReason="Nothing to pay now">Make payment</ActionButton>
          <ActionButton permission="loading">Upload</ActionButton>
        </Row>
        <Row name="Links">
          <ButtonLink to={designPath}>ButtonLink</ButtonLink>
          <p>
            A <TextLink to={designPath}>TextLink</TextLink> within words.
          </p>
        </Row>
      </Part>
      <Part title="Badges, tabs, pages">
        <Row name="Badges">
          {tones.map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
          {[0, 12, 45].map((dpd) => (
            <DpdBadge key={dpd} dpd={dpd} />
          ))}
        </Row>
        <LinkTabs
          label="Tabs"
          tabs={[
            { to: designPath, label: 'Loan details', current: true },
            { to: paths.index, label: 'Payments', current: false },
          ]}
        />
        <Pages />
      </Part>
      <Dialogs />
    </>
  )
}

function Pages() {
  const [page, setPage] = useState(4)
  return <Pagination currentPage={page} totalPages={24} itemsPerPage={10} shown={10} totalItems={236} onPage={setPage} />
}

function Dialogs() {
  const [open, setOpen] = useState<'sm' | 'md' | 'lg' | 'answer' | 'confirm' | null>(null)
  const close = () => setOpen(null)
  return (
    <Part title="Dialogs">
      <Row name="A sheet from the bottom on the phone">
        {(['sm', 'md', 'lg', 'answer', 'confirm'] as const).map((which) => (
          <Button key={which} variant="secondary" onClick={() => setOpen(which)}>
            {which}
          </Button>
        ))}
      </Row>
      <Dialog
        open={open === 'sm' || open === 'md' || open === 'lg' || open === 'answer'}
        size={open === 'md' || open === 'lg' ? open : 'sm'}
        mustAnswer={open === 'answer'}
        onClose={close}
        title="A dialog"
        description={<p>Money moves, a session ends, or something is lost.</p>}
        actions={<Button onClick={close}>Close</Button>}
      />
      <ConfirmDialog
        open={open === 'confirm'}
        title="Cancel this payment?"
        confirmLabel="Yes, cancel"
        cancelLabel="Keep it"
        onConfirm={close}
        onCancel={close}
      >
        <p>Staying is as big and as near as going.</p>
      </ConfirmDialog>
    </Part>
  )
}
