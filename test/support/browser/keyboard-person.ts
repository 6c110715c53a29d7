import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { findPathTemplate } from '../openapi-validator.js';
import type { DashboardBench, OpenDashboard, OpenOptions } from './dashboard.js';

type Role = Parameters<Page['getByRole']>[0];

/**
 * Finds an element whose look did not change when it lost the focus, and returns its HTML. Then
 * remembers the outline and the shadow of the element that has the focus now. A parent or a label
 * may show the focus instead of the element. Waits for the page's timers first, because a real
 * person leaves time for timers between two keys. After a Tab out of a date field, a timer of
 * Mantine checks the focus. If a second Tab came before this timer, Mantine would move the focus
 * back. Also returns whether one of the targets of {@link WATCH_TARGETS} has the focus.
 */
const LOOK_AT_FOCUS = `(async () => {
  await new Promise((resolve) => setTimeout(resolve));
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
  const { elements, isOld } = window.focusTargets ?? { elements: [], isOld: true };
  return {
    unseen: isInvisible ? before.element.outerHTML.slice(0, 300) : undefined,
    targets: isOld ? 'old' : elements.includes(now) ? 'reached' : 'not reached',
  };
})()`;

/**
 * Remembers the elements that a locator finds, until the page changes so that the locator may find
 * others. Returns whether one of the elements has the focus. A search by role computes the names of
 * many elements, so it is not repeated after each Tab.
 */
const WATCH_TARGETS = `
  window.focusTargets?.observer.disconnect();
  const observer = new MutationObserver(() => { targets.isOld = true; });
  const targets = { elements, observer, isOld: false };
  window.focusTargets = targets;
  observer.observe(document, { childList: true, characterData: true, attributes: true, subtree: true });
  return elements.includes(document.activeElement) ? 'reached' : 'not reached';
`;
// Playwright calls only functions with the elements, not texts.
const watchTargets = new Function('elements', WATCH_TARGETS) as (elements: unknown[]) => Targets;

/** Whether the focus is on a target. If the page has changed, the targets are old. */
type Targets = 'reached' | 'not reached' | 'old';

interface Stops {
  maxStops?: number;
  isBackwards?: boolean;
}

/** A person without a mouse. Records each element that does not visibly show its focus. */
export class KeyboardPerson {
  readonly #unseen: string[] = [];
  readonly #writes = new Set<string>();

  constructor(readonly page: Page) {
    page.on('request', (request) => {
      const path = new URL(request.url()).pathname.replace(/^\/v1/, '');
      if (request.method() !== 'GET') this.#writes.add(`${request.method()} ${findPathTemplate(path)}`);
    });
  }

  dialog(name: string | RegExp): Locator {
    return this.page.getByRole('dialog', { name, exact: true });
  }

  /** Presses Tab until the focus is on the element. */
  async reach(target: Locator, { maxStops = 120, isBackwards = false }: Stops = {}): Promise<void> {
    await target
      .first()
      .waitFor()
      .catch(async (cause: Error) => {
        const shown = await this.page.getByRole('dialog').or(this.page.locator('body')).last().innerText();
        throw new Error(`${cause.message}\nThe page shows: ${shown}`, { cause });
      });
    let targets: Targets = 'old';
    for (let stop = 0; stop <= maxStops; stop += 1) {
      if (targets === 'old') targets = await target.evaluateAll(watchTargets);
      if (targets === 'reached') return;
      targets = await this.#pressAndLook(isBackwards ? 'Shift+Tab' : 'Tab');
    }
    throw new Error(`The focus did not reach ${target} within ${maxStops} stops`);
  }

  /** Presses Tab until the focus is on the control with this role and name. */
  tabTo(role: Role, name: string | RegExp, options: Stops = {}): Promise<void> {
    return this.reach(this.page.getByRole(role, { name, exact: true }), options);
  }

  /** Goes to a control by Tab, and presses Enter. */
  async activate(role: Role, name: string | RegExp): Promise<void> {
    await this.tabTo(role, name);
    await this.press('Enter');
  }

  /** Goes to a field by Tab, and replaces the text in the field. */
  async fill(role: Role, name: string | RegExp, text: string): Promise<void> {
    await this.tabTo(role, name);
    await this.#replace(text);
  }

  /**
   * Goes to the field with this label by Tab. Also finds password and number fields, which do not
   * have the role `textbox`.
   */
  async fillField(label: string, text: string): Promise<void> {
    await this.reach(this.#field(label));
    await this.#replace(text);
  }

  /** Goes to a native select, and chooses the option that begins with the text. */
  async select(label: string, option: string): Promise<void> {
    await this.reach(this.#field(label));
    await this.page.keyboard.type(option);
  }

  /** Goes to a list that opens, and chooses one of its options. */
  async choose(label: string, option: string | RegExp): Promise<void> {
    await this.tabTo('combobox', label);
    const wanted = this.page.getByRole('option', { name: option, exact: true });
    await this.#press('ArrowDown');
    await wanted.waitFor();
    for (let stop = 0; stop < 30; stop += 1) {
      if ((await wanted.getAttribute('data-combobox-selected')) !== null) break;
      await this.#press('ArrowDown');
    }
    await this.press('Enter');
    await wanted.waitFor({ state: 'detached' });
  }

  /** Goes to a field that takes several options, and finds and adds each by its name. */
  async chooseSeveral(label: string, options: readonly string[]): Promise<void> {
    await this.reach(this.#field(label));
    for (const name of options) {
      await this.page.keyboard.type(name);
      const option = this.page.getByRole('option', { name, exact: true });
      await option.waitFor();
      await this.#press('ArrowDown');
      await this.press('Enter');
    }
  }

  /**
   * Goes to the radio buttons of the open dialog by Tab, then to the wanted button by the arrow
   * keys.
   */
  async pick(name: string | RegExp): Promise<void> {
    const wanted = this.page.getByRole('radio', { name }).and(this.page.locator(':focus'));
    await this.reach(this.page.getByRole('dialog').last().getByRole('radio'));
    for (let stop = 0; stop < 12 && (await wanted.count()) === 0; stop += 1) await this.press('ArrowDown');
    await this.press('Space');
    expect(await wanted.isChecked(), `${name} is picked`).to.equal(true);
  }

  /** Goes to the tabs of the open drawer by Tab, then to the wanted tab by the arrow keys. */
  async openTab(name: string): Promise<void> {
    const tabs = this.page.getByRole('dialog').last();
    const wanted = tabs.getByRole('tab', { name, exact: true, selected: true });
    await this.reach(tabs.getByRole('tab', { selected: true }));
    for (let stop = 0; stop < 12 && (await wanted.count()) === 0; stop += 1) await this.press('ArrowRight');
    await wanted.waitFor();
  }

  /** Switches a checkbox or a switch. */
  async toggle(role: 'checkbox' | 'switch', name: string | RegExp): Promise<void> {
    await this.tabTo(role, name);
    await this.press('Space');
  }

  /**
   * Opens a dialog by a button. Closes the dialog by Esc, which must return the focus to the
   * button. Then opens the dialog again.
   */
  async openDialog(opener: string | RegExp, name: string | RegExp): Promise<Locator> {
    const dialog = this.dialog(name);
    await this.activate('button', opener);
    await this.waitForFocus(dialog);
    await this.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await this.waitForFocus(this.page.getByRole('button', { name: opener, exact: true }));
    await this.press('Enter');
    await this.waitForFocus(dialog);
    return dialog;
  }

  /** Presses the button that sends an open dialog, and waits until the dialog has closed. */
  async submit(dialog: Locator, verb: string): Promise<void> {
    await this.reach(dialog.getByRole('button', { name: verb, exact: true }));
    await this.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await this.expectFocusInPage();
  }

  /** Opens a dialog, and submits it without changes. */
  async confirm(opener: string | RegExp, name: string | RegExp, verb: string): Promise<void> {
    await this.submit(await this.openDialog(opener, name), verb);
  }

  async press(key: string): Promise<void> {
    await this.#pressAndLook(key);
  }

  /** Waits until the focus is on the element, or inside it. */
  async waitForFocus(element: Locator): Promise<void> {
    const focus = this.page.locator(':focus');
    await element.and(focus).or(element.locator(':focus')).first().waitFor();
  }

  /** Waits until an element of the page has the focus. */
  expectFocusInPage(): Promise<void> {
    return this.page.locator(':focus').first().waitFor();
  }

  /** Waits until a region that screen readers announce contains the text. */
  async hear(text: string | RegExp): Promise<void> {
    const regions = this.page.locator('[role="status"], [role="alert"], [aria-live="polite"]');
    await regions.filter({ hasText: text }).first().waitFor();
  }

  expectFocusWasSeen(): void {
    expect(this.#unseen, 'elements that looked the same with and without the focus').to.deep.equal([]);
  }

  /**
   * Asserts that the page has sent these writes, such as `POST /invoices`.
   * test/contract/dashboard/keyboard-coverage.test.ts finds these calls in the sources of
   * test/browser/keyboard.
   */
  expectWrites(...writes: readonly string[]): void {
    expect([...this.#writes], 'the writes that the page has sent').to.include.members([...writes]);
    this.expectFocusWasSeen();
  }

  /** The field with this label. The label of a required field ends with a star. */
  #field(label: string): Locator {
    const text = label.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return this.page.getByLabel(new RegExp(`^${text}( \\*)?$`));
  }

  async #replace(text: string): Promise<void> {
    await this.#press('Control+A');
    await this.page.keyboard.type(text);
  }

  /** Presses a key, and looks at the focus. Returns whether a target has the focus. */
  async #pressAndLook(key: string): Promise<Targets> {
    await this.#press(key);
    // If the key follows a link, the page is gone and cannot be checked.
    const seen = await this.page
      .evaluate<{ unseen?: string; targets: Targets }>(LOOK_AT_FOCUS)
      .catch((error: Error) => {
        if (!error.message.includes('navigation')) throw error;
      });
    if (seen?.unseen !== undefined) this.#unseen.push(seen.unseen);
    return seen?.targets ?? 'old';
  }

  #press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }
}

/** Opens pages for people who then use the keyboard alone. */
export async function openForKeyboard(
  dashboard: DashboardBench,
  path?: string,
  options: OpenOptions = {},
): Promise<OpenDashboard & { person: KeyboardPerson }> {
  const opened = await dashboard.open(path, options);
  return { ...opened, person: new KeyboardPerson(opened.page) };
}
