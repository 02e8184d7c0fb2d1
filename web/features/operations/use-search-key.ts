import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { paths } from '#web/app/paths.ts'

export const searchId = 'loan-search'

let isAwaited = false

/**
 * `/` moves the focus to the search for loans, from every page of Operations; not while something
 * is typed or a dialog is open.
 */
export function useSearchKey(): void {
  const router = useRouter()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.closest('input, textarea, [role=dialog], [role=alertdialog]') !== null
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
      event.preventDefault()
      const field = document.getElementById(searchId)
      if (field) return field.focus()
      isAwaited = true
      router.history.push(paths.operationsLoans)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [router])
}

/** The search takes the focus if `/` has led to its page. */
export function useSearchFocus(): void {
  useEffect(() => {
    if (!isAwaited) return undefined
    isAwaited = false
    // After the page's own focus, which goes to its heading.
    const timer = setTimeout(() => document.getElementById(searchId)?.focus())
    return () => clearTimeout(timer)
  }, [])
}
