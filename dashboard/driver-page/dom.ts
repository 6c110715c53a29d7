type Child = Node | string | null;

/** Creates an element. Strings become text nodes, so no text of a work order is parsed as HTML. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child): child is Node | string => child !== null));
  return element;
}

export function button(
  text: string,
  onClick: () => void,
  attributes: Record<string, string | boolean> = {},
): HTMLButtonElement {
  const element = el('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', onClick);
  return element;
}

/** Makes a button ignore presses. Unlike a disabled button, it keeps the focus. */
export function setPaused(element: HTMLButtonElement, isPausing: boolean): void {
  if (isPausing) element.setAttribute('aria-disabled', 'true');
  else element.removeAttribute('aria-disabled');
}

export const isPaused = (element: HTMLButtonElement): boolean => element.hasAttribute('aria-disabled');

/**
 * Changes the page. If the change removes or hides the element with the focus, moves the focus to
 * `next`, so that a driver with a keyboard need not begin at the top.
 */
export function keepFocus(next: HTMLElement, change: () => void): void {
  const focused = document.activeElement;
  change();
  const now = document.activeElement;
  const isMoved = now !== focused && now !== document.body;
  if (!focused || focused === document.body || isMoved) return;
  if (!focused.isConnected || focused.getClientRects().length === 0) next.focus();
}
