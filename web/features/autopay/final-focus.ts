/**
 * What gets the focus when a dialog of autopay closes: after a change, the heading of the card,
 * because the button that opened the dialog may be gone; otherwise null, for that button. A change
 * that is still shown as pending has succeeded: a dialog is not closed before. The page can show
 * the new state, without the button, before it knows of the success.
 */
export const findFinalFocus = ({ isIdle, isError }: { isIdle: boolean; isError: boolean }): HTMLElement | null =>
  isIdle || isError ? null : document.getElementById('autopay')
