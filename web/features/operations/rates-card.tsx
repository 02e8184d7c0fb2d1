import { useLingui } from '@lingui/react/macro'
import { Suspense, useState } from 'react'
import { usePermission } from '#web/session/permissions.ts'
import { ActionButton } from '#web/ui/action-button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { createLazyPart, usePreloadWhenIdle } from '#web/ui/lazy-part.tsx'
import { kindTexts } from './kind-texts.ts'
import { rateKinds } from './queue-state.ts'

const OperationDialog = createLazyPart(async () => (await import('./operation-dialog.tsx')).OperationDialog)

/** The operations that concern all floating loans of a benchmark. */
export function RatesCard() {
  const { t, i18n } = useLingui()
  const mayPropose = usePermission('operations:propose')
  const [kind, setKind] = useState<(typeof rateKinds)[number] | null>(null)
  usePreloadWhenIdle(OperationDialog)
  if (mayPropose !== 'allowed') return null
  return (
    <Card labelledBy="floating-rates" className="mt-4">
      <CardHead id="floating-rates" title={t`Floating rates`} subtitle={t`For all loans under a benchmark`} />
      <ul className="flex flex-wrap gap-2">
        {rateKinds.map((one) => (
          <li key={one} className="max-md:w-full">
            <ActionButton variant="secondary" size="sm" className="max-md:w-full" onClick={() => setKind(one)}>
              {i18n._(kindTexts[one].name)}
            </ActionButton>
          </li>
        ))}
      </ul>
      {kind !== null && (
        <Suspense>
          <OperationDialog kind={kind} lan={null} subject={t`For all loans under a benchmark`} values={{}} onClose={() => setKind(null)} />
        </Suspense>
      )}
    </Card>
  )
}
