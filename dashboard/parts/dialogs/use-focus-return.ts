import { useEffect, useState } from 'react';

/** What opened the dialogs that are open, the last one last. */
const openers: Element[] = [];
/** Where the focus went, or would have gone, when a dialog closed last. */
let lastOpener: Element | undefined;

/**
 * When the dialog of this component goes away, the focus returns to what opened it. Mantine does
 * that only for dialogs that stay in the page while they are closed.
 */
export function useFocusReturn(): void {
  // Read while rendering, because the dialog takes the focus as soon as it is in the page.
  const [opener] = useState(findOpener);
  useEffect(() => {
    openers.push(opener);
    return () => {
      openers.splice(openers.lastIndexOf(opener), 1);
      returnFocus(opener);
    };
  }, [opener]);
}

/** A button that was disabled by what it did has lost the focus; its dialog's opener stands in. */
function findOpener(): Element {
  const focused = document.activeElement ?? document.body;
  return focused === document.body ? (openers.at(-1) ?? focused) : focused;
}

function returnFocus(opener: Element): void {
  if (opener === document.body) return;
  // A dialog that followed another one returns the focus to what opened the first.
  if (opener.isConnected) lastOpener = opener;
  const target = lastOpener;
  // After the next dialog, if there is one, has taken the focus.
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
    const isReachable = target?.isConnected && (!dialog || dialog.contains(target));
    if (isReachable && target instanceof HTMLElement) target.focus();
    // A button that disappeared with what it did leaves the focus to its drawer.
    if (document.activeElement === document.body) dialog?.focus();
  });
}
