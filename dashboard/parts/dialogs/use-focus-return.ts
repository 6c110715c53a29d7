import { useEffect, useState } from 'react';
import { startKeepingFocus, stopKeepingFocus } from './keep-focus';

/** The elements that opened the currently open dialogs. The opener of the newest dialog is last. */
const openers: Element[] = [];
/**
 * The element that opened the dialog that closed last. An opener that had left the page when its
 * dialog closed does not count.
 */
let lastOpener: Element | undefined;
/** The opener of a dialog that has just closed, until it has the focus again. */
let returning: Element | undefined;

/**
 * When the component's dialog closes, returns the focus to the element that opened the dialog.
 * Mantine does this only for dialogs that stay in the page while they are closed.
 */
export function useFocusReturn(): void {
  // Find the opener while rendering. Once the dialog is in the page, the focus is already in the
  // dialog.
  const [opener] = useState(findOpener);
  useEffect(() => {
    if (openers.push(opener) === 1) startKeepingFocus();
    return () => {
      openers.splice(openers.lastIndexOf(opener), 1);
      if (openers.length === 0) stopKeepingFocus();
      returnFocus(opener);
    };
  }, [opener]);
}

/**
 * Returns the focused element. If a click has disabled its own button, no element has the focus. In
 * this case, returns the opener of the dialog that contains the button. If the dialog of a new
 * record has just closed and its record opens, returns the opener of that dialog.
 */
function findOpener(): Element {
  const focused = document.activeElement ?? document.body;
  return isFocusLost() ? (openers.at(-1) ?? returning ?? focused) : focused;
}

function returnFocus(opener: Element): void {
  if (opener === document.body) return;
  // If one dialog has opened another, the opener of the second dialog is gone. In this case, focus
  // the opener of the first dialog.
  if (opener.isConnected) lastOpener = opener;
  const target = lastOpener;
  returning = opener;
  // Another dialog may open now. Wait until it has taken the focus.
  setTimeout(() => {
    returning = undefined;
    if (!isFocusLost()) return;
    const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
    const isReachable = target?.isConnected && (!dialog || dialog.contains(target));
    if (isReachable && target instanceof HTMLElement) target.focus();
    if (!isFocusLost()) return;
    // The button that opened the dialog is gone. Focus the open drawer that contained it. Without a
    // drawer, focus the card that has moved with it, or else the screen.
    (dialog ?? findMoved(opener) ?? document.querySelector<HTMLElement>('main'))?.focus();
  });
}

/** True if no element has the focus, or if only a dialog as a whole has it. */
function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === body || activeElement?.getAttribute('role') === 'dialog';
}

/** Finds the link of the record to which a removed element belonged. */
function findMoved(opener: Element): HTMLElement | null {
  const id = opener.closest<HTMLElement>('[data-record]')?.dataset.record;
  return id ? document.querySelector<HTMLElement>(`[data-record="${CSS.escape(id)}"] a`) : null;
}
