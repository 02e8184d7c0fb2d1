import { pickLanguage } from '#web/i18n/language.ts'
import { readConfigOfPage } from '#web/portal-config.ts'
import { applyStoredTheme, readStored, storageKeys } from '#web/storage.ts'

// The build writes this script into the login page after the drawn form; it runs before the first
// paint (tools/web-pages.ts).

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

// Preloads the texts with the code that needs them, and the session's code if a token is stored.
const isTokenStored = readStored(storageKeys.token) !== null
for (const name of isTokenStored ? [`words-${language}`, 'calls'] : [`words-${language}`]) {
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)!.content
  document.head.append(link)
}

for (const host of document.querySelectorAll('[data-host]')) host.textContent = window.location.host

// Hides the login if somebody may be signed in, so that it does not flash. If the token has
// expired, login.tsx shows it again.
root.hidden = isTokenStored

// A submit before the code has loaded must not reload the page: it is remembered, and login.tsx
// repeats it.
document.addEventListener('submit', (event) => {
  event.preventDefault()
  root.dataset['submitted'] = ''
})
