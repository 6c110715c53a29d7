import { useEffect, useState } from 'react';

/**
 * The elements that opened the dialogs that are open now. The opener of the newest dialog is last.
 */
const openers: Element[] = [];
/** The element that got the focus, or should have got it, when the last dialog closed. */
let lastOpener: Element | undefined;

/**
 * Returns the focus to what opened the dialog of this component, when the dialog goes away. Mantine
 * does that only for dialogs that stay in the page while they are closed.
 */
export function useFocusReturn(): void {
  // Find the opener while rendering, because the dialog takes the focus as soon as it is in the
  // page.
  const [opener] = useState(findOpener);
  useEffect(() => {
    openers.push(opener);
    return () => {
      openers.splice(openers.lastIndexOf(opener), 1);
      returnFocus(opener);
    };
  }, [opener]);
}

/**
 * Returns the focused element. A button that its own click has disabled loses the focus; then
 * returns the opener of the dialog that contains the button.
 */
function findOpener(): Element {
  const focused = document.activeElement ?? document.body;
  return focused === document.body ? (openers.at(-1) ?? focused) : focused;
}

function returnFocus(opener: Element): void {
  if (opener === document.body) return;
  // If one dialog opened another, its button is gone. The focus then goes to what opened the first.
  if (opener.isConnected) lastOpener = opener;
  const target = lastOpener;
  // Wait until the next dialog has taken the focus, if one opens now.
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
    const isReachable = target?.isConnected && (!dialog || dialog.contains(target));
    if (isReachable && target instanceof HTMLElement) target.focus();
    // If the button that opened the dialog is gone, focus the drawer that contained it.
    if (document.activeElement === document.body) dialog?.focus();
  });
}
