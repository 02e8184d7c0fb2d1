import { keepPresses } from '#web/entry/kept-control.ts'
import { findDrawnPage, paths } from '#web/app/paths.ts'
import { getPersonName } from '#web/session/person-name.ts'
import { preparePage } from './prepare-page.ts'
import { readStoredPerson } from './stored-person.ts'

// The build writes this script into the portal's page after what is drawn; it runs before the
// first paint (tools/web-pages.ts).

const { root } = preparePage()
const state = document.documentElement.dataset
// Without a connection the service worker gives every address the same page.
if (state['drawn'] === 'hidden' && root.dataset['page'] === findDrawnPage(window.location.pathname)) {
  const user = readStoredPerson()?.user ?? null
  const { name, initials } = getPersonName(user)
  // Only this device knows who is signed in.
  for (const place of document.querySelectorAll('[data-person=name]')) place.prepend(name)
  if (initials !== '') for (const place of document.querySelectorAll('[data-person=initials]')) place.textContent = initials
  if (!user?.metadata.is_ongoing_application)
    for (const link of root.querySelectorAll(`footer [href="${paths.ongoingApplication}"]`)) link.parentElement?.remove()
  const title = root.querySelector('h1')?.textContent
  if (title) document.title = `${title} - ${document.title}`
  keepPresses(root)
  state['drawn'] = 'shown'
} else root.replaceChildren()
