import { pickLanguage } from '#web/i18n/language.ts'
import { readConfigOfPage } from '#web/portal-config.ts'
import { applyStoredTheme, readStored, storageKeys } from '#web/storage.ts'

// Written into the login's page behind what is drawn there, and run before its first paint; see tools/web-pages.ts.

applyStoredTheme()

const root = document.getElementById('root')!
const config = readConfigOfPage()
const language = pickLanguage({
  stored: readStored(storageKeys.language),
  browser: navigator.languages,
  defaultLanguage: config?.default_language ?? 'en',
  detect: config?.detect_language ?? true,
})
if (document.documentElement.lang !== language) {
  document.documentElement.lang = language
  const other = document.querySelector<HTMLTemplateElement>(`template[lang=${language}]`)
  if (other) root.replaceChildren(other.content)
}

// The words come together with the code that asks for them; where a token is stored, what looks at it does too.
const isTokenStored = readStored(storageKeys.token) !== null
for (const name of isTokenStored ? [`words-${language}`, 'calls'] : [`words-${language}`]) {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)!.content
  document.head.append(link)
}

for (const host of document.querySelectorAll('[data-host]')) host.textContent = window.location.host

// Who is signed in is taken on from here: no login flashes by. A token that has run out brings it back.
root.hidden = isTokenStored

// A press before the code is there must not reload the page: it is kept, and done when the form answers.
document.addEventListener('submit', (event) => {
  event.preventDefault()
  root.dataset['submitted'] = ''
})
