import { lazy, useCallback, useEffect, useRef, useState, type ComponentType, type FocusEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { loadAhead, loadWhenIdle } from './background-loads.ts'

type Part<Props> = ((props: Props) => ReactNode) & { preload: () => Promise<unknown> }

/**
 * A part of a page in its own chunk. Render it in Suspense; `preload` loads the chunk earlier. A
 * preloaded part renders at once: React would show the fallback of a lazy one for 300 ms.
 */
export function createLazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): Part<Props> {
  let loaded: ComponentType<Props> | null = null
  const preload = async () => (loaded = await load())
  const Lazy: ComponentType<Props> = lazy(async () => ({ default: await preload() }))
  function LazyPart(props: Props) {
    // Another type on a later render would mount the part again.
    const [Known] = useState(() => loaded ?? Lazy)
    return <Known {...props} />
  }
  return Object.assign(LazyPart, { preload })
}

/** Loads a part that is not shown yet when the page is idle, so that it opens at once. */
export function usePreloadWhenIdle({ preload }: Pick<Part<never>, 'preload'>): void {
  useEffect(() => loadWhenIdle(preload), [preload])
}

/**
 * For a button whose popup comes later: the part that replaces the button is loaded when the page
 * is idle, and rendered only when the button is used, which most visits never do. Both the button
 * and the part's own button take `ref`: if one has the focus at the moment it is removed, the next
 * one gets it. `wasPressed` tells the part to open.
 */
export function useReplacedButton(part: Pick<Part<never>, 'preload'>) {
  usePreloadWhenIdle(part)
  const hadFocus = useRef(false)
  const [state, setState] = useState({ isReplaced: false, wasPressed: false })
  const ref = useCallback((element: HTMLButtonElement) => {
    if (hadFocus.current) element.focus()
    // React calls this just before it removes the element: until then it can get the focus.
    return () => {
      hadFocus.current = element === document.activeElement
    }
  }, [])
  const replaceFocused = async (button: HTMLButtonElement): Promise<void> => {
    await part.preload()
    // At once, so that no press begins between this question and the replacement.
    if (button === document.activeElement && !button.matches(':active'))
      flushSync(() => setState((before) => ({ ...before, isReplaced: true })))
  }
  const handlers = {
    onClick: () => setState({ isReplaced: true, wasPressed: true }),
    // The keys of the part's own button, such as an arrow, work from the focus on. A tap and a
    // screen reader give the focus just before their click, which must not miss the button.
    onFocus: ({ currentTarget }: FocusEvent<HTMLButtonElement>) => {
      setTimeout(() => void loadAhead(() => replaceFocused(currentTarget)))
    },
  }
  return { ...state, ref, handlers }
}
