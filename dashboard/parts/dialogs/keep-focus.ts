let observer: MutationObserver | undefined;

/**
 * Keeps the focus in the newest dialog. Some buttons disappear or become disabled when a person
 * presses them: Pause becomes Resume. Without this function, the focus would move to the page
 * behind the dialog.
 */
export function startKeepingFocus(): void {
  observer ??= new MutationObserver(() => requestAnimationFrame(focusDialog));
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

export function stopKeepingFocus(): void {
  observer?.disconnect();
}

function focusDialog(): void {
  if (document.activeElement !== document.body) return;
  [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1)?.focus();
}
