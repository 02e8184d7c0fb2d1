import { lazy, useCallback, useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { loadWhenIdle } from './background-loads.ts'

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
 * For a button whose popup comes later: `preload` loads the part that replaces the button when the
 * page is idle, or after a press. Both the button and the part's own button take `ref`: if one has
 * the focus at the moment it is removed, the next one gets it. `wasPressed` tells the part to open.
 */
export function useReplacedButton({ preload }: Pick<Part<never>, 'preload'>) {
  const button = useRef<HTMLButtonElement>(null)
  const hadFocus = useRef(false)
  const [state, setState] = useState({ isReplaced: false, wasPressed: false })
  const ref = useCallback((element: HTMLButtonElement) => {
    button.current = element
    if (hadFocus.current) element.focus()
    // React calls this just before it removes the element: until then it can get the focus.
    return () => {
      hadFocus.current = element === document.activeElement
    }
  }, [])
  useEffect(() => {
    // A button that is being pressed is replaced by its press. At once, so that no press begins
    // between this question and the replacement.
    const replace = () => {
      if (!button.current?.matches(':active')) flushSync(() => setState((before) => ({ ...before, isReplaced: true })))
    }
    return loadWhenIdle(() => preload().then(replace))
  }, [preload])
  return { ...state, ref, press: () => setState({ isReplaced: true, wasPressed: true }) }
}
