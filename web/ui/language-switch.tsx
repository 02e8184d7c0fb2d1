import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { chooseLanguage, useLanguage } from '#web/i18n/i18n.ts'
import { languageNames, type Language } from '#web/i18n/language.ts'
import { Banner } from './banner.tsx'
import { Icon } from './icon.tsx'

export const toolClass =
  'inline-flex min-h-target min-w-target items-center justify-center gap-2 rounded-md px-2.5 text-sm font-medium hover:bg-sunken'

/**
 * Offers the other language by its own name. Typed input stays. While the chosen language loads, it
 * offers to switch back.
 */
export function LanguageSwitch({ className = toolClass }: { className?: string }) {
  const shown = useLanguage()
  const [chosen, setChosen] = useState<Language | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  const other = (chosen ?? shown) === 'en' ? 'hi' : 'en'

  async function choose(): Promise<void> {
    setChosen(other)
    setHasFailed(false)
    const isLoaded = await chooseLanguage(other)
    if (!isLoaded) setHasFailed(true)
    setChosen((latest) => (latest === other ? null : latest))
  }

  return (
    <>
      <button
        type="button"
        data-tool="language"
        lang={other}
        aria-busy={chosen !== null || undefined}
        className={className}
        onClick={() => void choose()}
      >
        {languageNames[other]}
      </button>
      {hasFailed && <LanguageFailure onClose={() => setHasFailed(false)} />}
    </>
  )
}

/**
 * Above the page, because the bar has no space for a sentence. Chrome caches a failed import: only
 * a new page load requests it again.
 */
function LanguageFailure({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  return createPortal(
    <div className="fixed inset-x-4 bottom-4 z-60 mx-auto max-w-md rounded-md bg-raised shadow-3">
      <Banner tone="danger" live="alert">
        <div className="flex items-center gap-2">
          <p className="flex-1">{t`The language could not be changed. Check your internet connection, load the page again and try once more.`}</p>
          <button
            type="button"
            aria-label={t`Close`}
            className="-my-2 -mr-3 grid size-target flex-none place-items-center"
            onClick={onClose}
          >
            <Icon name="close" size={18} />
          </button>
        </div>
      </Banner>
    </div>,
    document.body,
  )
}
