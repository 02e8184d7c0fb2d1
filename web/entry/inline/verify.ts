import { loadCode, preparePage } from './prepare-page.ts'

// The build writes this script into the page that verifies a document; it runs before the first
// paint (tools/web-pages.ts). A form that is sent before the code has loaded opens the same page
// with the code in its address.

const { root, language } = preparePage()
root.hidden = false
loadCode(root, `words-${language}`, `words-verification-${language}`, 'calls')
