import { readSentCode } from '#web/features/auth/sent-code.ts'
import { readStored, storageKeys } from '#web/storage.ts'
import { preload, preparePage } from './prepare-page.ts'

// The build writes this script into the login page after the drawn form; it runs before the first
// paint (tools/web-pages.ts).

const { root, language } = preparePage()

// Preloads the texts with the code that needs them, and the session's code if a token is stored.
const isTokenStored = readStored(storageKeys.token) !== null
preload(`words-${language}`, ...(isTokenStored ? ['calls'] : []))

for (const host of document.querySelectorAll('[data-host]')) host.textContent = window.location.host

// The login stays hidden if somebody may be signed in, or goes on with a code, so that it does not
// flash. login.tsx shows it, also if the token has expired.
root.hidden = isTokenStored || readSentCode(Date.now()) !== null

// A submit before the code has loaded must not reload the page: it is remembered, and login.tsx
// repeats it.
document.addEventListener('submit', (event) => {
  event.preventDefault()
  root.dataset['submitted'] = ''
})
