import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { findPresentedDebit, type Autopay } from './autopay.ts'
import { refreshLoans } from './loan-queries.ts'

/** Reloads the loan's data when the outcome of a debit becomes known. */
export function useRefreshAfterDebit(autopay: Autopay | undefined): void {
  const client = useQueryClient()
  const isPresented = findPresentedDebit(autopay) !== null
  const wasPresented = useRef(isPresented)
  useEffect(() => {
    if (wasPresented.current && !isPresented) void refreshLoans(client)
    wasPresented.current = isPresented
  })
}
