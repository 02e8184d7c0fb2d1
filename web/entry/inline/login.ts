import { readSentCode } from '#web/features/auth/sent-code.ts'
import { readStored, storageKeys } from '#web/storage.ts'
import { answerBeforeCode } from './phone-step.ts'
import { loadCode, preparePage } from './prepare-page.ts'

// The build writes this script into the login page after the drawn form; it runs before the first
// paint (tools/web-pages.ts).

const { root, language } = preparePage()

for (const host of document.querySelectorAll('[data-host]')) host.textContent = window.location.host

// The login stays hidden if somebody may be signed in, or goes on with a code, so that it does not
// flash. login.tsx shows it, also if the token has expired.
const isTokenStored = readStored(storageKeys.token) !== null
root.hidden = isTokenStored || readSentCode(Date.now()) !== null

// A stored token needs the session's code.
loadCode(root, `words-${language}`, ...(isTokenStored ? ['calls'] : []))

answerBeforeCode(root)
