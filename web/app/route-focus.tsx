import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { focusHeading } from '#web/ui/focus-heading.ts'

const sectionOf = (path: string | undefined) => path?.split('/')[1]

/** Moves the focus to the heading of a new screen, so that it is read out. A tab of the same screen keeps the focus on the tab. */
export function RouteFocus() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
        if (fromLocation === undefined || sectionOf(fromLocation.pathname) === sectionOf(toLocation.pathname)) return
        focusHeading()
      }),
    [router],
  )
  return null
}
