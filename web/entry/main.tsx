import { initSession } from '#web/session/session.ts'
import { showStartFailure, startInLanguage } from './start.ts'
import { openPortal } from './portal.tsx'

// Not awaited at the top level: the screens' chunks import this one, and would wait for it while it waits for them.
initSession()
startInLanguage()
  .then(() => openPortal())
  .catch(showStartFailure)
