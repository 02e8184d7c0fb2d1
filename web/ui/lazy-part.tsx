import { lazy, useEffect, useLayoutEffect, useRef, useState, type ComponentType, type ReactNode, type RefObject } from 'react'
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
 * page is idle, or after a press. `hadFocus` and `wasPressed` are for that part, which takes over.
 */
export function useReplacedButton<Element extends HTMLElement>({ preload }: Pick<Part<never>, 'preload'>) {
  const ref = useRef<Element>(null)
  const [state, setState] = useState({ isReplaced: false, hadFocus: false, wasPressed: false })
  useEffect(() => {
    // A button that is being pressed is replaced by its press.
    const mayReplace = () => ref.current?.matches(':active') !== true
    const replace = () =>
      setState((before) => (before.isReplaced || !mayReplace() ? before : { ...before, isReplaced: true, hadFocus: hasFocus(ref) }))
    return loadWhenIdle(() => preload().then(replace))
  }, [preload])
  return { ...state, ref, press: () => setState({ isReplaced: true, hadFocus: hasFocus(ref), wasPressed: true }) }
}

const hasFocus = ({ current }: RefObject<HTMLElement | null>): boolean => current !== null && current === document.activeElement

/** The ref of the button that takes over from one that had the focus. */
export function useTakenOverFocus<Element extends HTMLElement>(hadFocus: boolean): RefObject<Element | null> {
  const ref = useRef<Element>(null)
  const [takesFocus] = useState(hadFocus)
  useLayoutEffect(() => {
    if (takesFocus) ref.current?.focus()
  }, [takesFocus])
  return ref
}
