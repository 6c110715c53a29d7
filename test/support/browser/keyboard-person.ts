import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';

type Role = Parameters<Page['getByRole']>[0];

/**
 * Remembers the focused element with its outline and shadow, and those of its label, which may draw
 * the ring in its place. Returns what the element before looks like, if that looks the same without
 * the focus.
 */
const LOOK_AT_FOCUS = `(() => {
  const readRing = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return [outlineStyle === 'none' ? '' : outlineStyle + outlineWidth, boxShadow].join(' ');
  };
  const readRings = (element) =>
    [element, element.parentElement, ...(element.labels ?? [])].map(readRing).join('; ');
  const before = window.focusBefore;
  const now = document.activeElement;
  const isLeft = before && before.element.isConnected && before.element !== now;
  const isInvisible = isLeft && readRings(before.element) === before.rings;
  window.focusBefore = now === document.body ? undefined : { element: now, rings: readRings(now) };
  return isInvisible ? before.element.outerHTML.slice(0, 300) : undefined;
})()`;

/** A person without a mouse. Each stop of the focus must be seen. */
export class KeyboardPerson {
  readonly #unseen: string[] = [];

  constructor(readonly page: Page) {}

  /** Presses Tab until the focus is on the control with this role and name. */
  async tabTo(role: Role, name: string | RegExp, { maxStops = 40, isBackwards = false } = {}): Promise<void> {
    const focused = this.page.getByRole(role, { name, exact: true }).and(this.page.locator(':focus'));
    for (let stop = 0; stop < maxStops; stop += 1) {
      await this.press(isBackwards ? 'Shift+Tab' : 'Tab');
      if ((await focused.count()) > 0) return;
    }
    throw new Error(`The focus did not reach the ${role} ${name} within ${maxStops} stops`);
  }

  /** Goes to a control by Tab, and presses Enter. */
  async activate(role: Role, name: string | RegExp): Promise<void> {
    await this.tabTo(role, name);
    await this.press('Enter');
  }

  /** Goes to a field by Tab, and types into it in place of what it holds. */
  async fill(role: Role, name: string | RegExp, text: string): Promise<void> {
    await this.tabTo(role, name);
    await this.press('Control+A');
    await this.page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    const unseen = (await this.page.evaluate(LOOK_AT_FOCUS)) as string | undefined;
    if (unseen) this.#unseen.push(unseen);
  }

  /** Waits until the focus is on the element, or inside it. */
  async waitForFocus(element: Locator): Promise<void> {
    const focus = this.page.locator(':focus');
    await element.and(focus).or(element.locator(':focus')).first().waitFor();
  }

  /** Waits until a screen reader has something to say that includes the text. */
  async hear(text: string | RegExp): Promise<void> {
    const regions = this.page.locator('[role="status"], [role="alert"], [aria-live="polite"]');
    await regions.filter({ hasText: text }).first().waitFor();
  }

  expectFocusWasSeen(): void {
    expect(this.#unseen, 'elements that looked the same with and without the focus').to.deep.equal([]);
  }
}
