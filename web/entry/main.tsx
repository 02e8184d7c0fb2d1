import { initSession } from '#web/session/session.ts'
import { openPortal } from './portal.tsx'
import { showStartFailure } from './start-failure.ts'
import { startInLanguage } from './start.ts'

// No top-level await: the screens' chunks import this one, and both would wait for each other.
initSession()
startInLanguage()
  .then(() => openPortal())
  .catch(showStartFailure)
