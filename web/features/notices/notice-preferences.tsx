import { useLingui } from '@lingui/react/macro'
import { queryOptions, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { NoticePreferences as Preferences } from '#contract/notices.ts'
import { changeNoticePreferences, readNoticePreferences } from '#contract/notices.ts'
import { call } from '#web/api/call.ts'
import { Loaded } from '#web/app/loading/loaded.tsx'
import { useLoad } from '#web/app/loading/use-load.ts'
import { languageNames } from '#web/i18n/language.ts'
import { Banner } from '#web/ui/banner.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { ChoiceField, ToggleField } from '#web/ui/choice-field.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

const preferencesQuery = queryOptions({
  queryKey: ['notice-preferences'],
  queryFn: ({ signal }) => call(readNoticePreferences, {}, { signal }),
})

/** Which text messages the borrower gets. Each change is saved at once. */
export function NoticePreferences() {
  const { t } = useLingui()
  const card = (content: ReactNode) => (
    <Card labelledBy="text-messages">
      <CardHead id="text-messages" title={t`Text messages`} subtitle={t`When you want a text message`} />
      {content}
    </Card>
  )
  return (
    <Loaded query={useLoad(preferencesQuery)} failed={t`Failed to load your choices`} loading={card(<Skeleton className="h-78.75" />)}>
      {(preferences) => card(<Choices kept={preferences} />)}
    </Loaded>
  )
}

const changeKey = ['notice-preferences'] as const

function Choices({ kept }: { kept: Preferences }) {
  const { t } = useLingui()
  const client = useQueryClient()
  const [hasFailed, setHasFailed] = useState(false)
  // One after another, so that no late answer replaces a newer one.
  const change = useMutation({
    mutationKey: changeKey,
    scope: { id: changeKey[0] },
    mutationFn: (wanted: Partial<Preferences>) => call(changeNoticePreferences, { body: wanted }),
    onMutate: () => setHasFailed(false),
    onSuccess: async (now) => {
      // The answer of a read under way can be from before the change.
      await client.cancelQueries(preferencesQuery)
      client.setQueryData(preferencesQuery.queryKey, now)
    },
    onError: () => setHasFailed(true),
  })
  // Shows each change at once; a failure shows the saved value again.
  const pending = useMutationState({
    filters: { mutationKey: changeKey, status: 'pending' },
    select: ({ state }) => state.variables as Partial<Preferences>,
  })
  const shown: Preferences = Object.assign({}, kept, ...pending)
  const toggle = (key: 'sms_payments' | 'sms_tranches' | 'sms_due_soon') => (wanted: boolean) => change.mutate({ [key]: wanted })
  return (
    <div className="space-y-4 border-t border-rule pt-3">
      <div>
        <ToggleField
          label={t`About payments, charges, refunds and autopay, also when a debit fails or the loan is closed`}
          checked={shown.sms_payments}
          onChange={toggle('sms_payments')}
        />
        <ToggleField label={t`When a disbursal is decided or paid out`} checked={shown.sms_tranches} onChange={toggle('sms_tranches')} />
        <ToggleField label={t`Before an instalment falls due`} checked={shown.sms_due_soon} onChange={toggle('sms_due_soon')} />
        <p className="mt-1 text-sm text-muted">{t`We always send the announcement of an autopay debit, and changes of your interest rate.`}</p>
      </div>
      <ChoiceField
        legend={t`Language of the messages`}
        options={[
          { value: 'en', label: languageNames.en },
          { value: 'hi', label: languageNames.hi },
        ]}
        value={shown.language}
        onChange={(language) => change.mutate({ language })}
      />
      {hasFailed && (
        <Banner tone="danger" live="alert">
          {t`Your choice could not be saved. Please try again.`}
        </Banner>
      )}
      <p role="status" className="sr-only">
        {change.isSuccess && t`Saved`}
      </p>
    </div>
  )
}
