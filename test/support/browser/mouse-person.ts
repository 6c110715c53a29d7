import type { Locator, Page } from 'playwright-core';

/**
 * A person who only clicks visible elements, and types only into clicked fields. The person never
 * opens an address directly.
 */
export class MousePerson {
  constructor(readonly page: Page) {}

  async openScreen(name: string): Promise<void> {
    const screens = this.page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name, exact: true }).click();
    await this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
  }

  dialog(name: string | RegExp): Locator {
    return this.page.getByRole('dialog', { name, exact: true });
  }

  card(column: string, number: string): Locator {
    return this.page
      .getByRole('region', { name: column, exact: true })
      .getByRole('article', { name: number, exact: true });
  }

  click(role: 'button' | 'tab', name: string): Promise<void> {
    return this.page.getByRole(role, { name, exact: true }).click();
  }

  async type(field: Locator, text: string): Promise<void> {
    await field.click();
    await field.pressSequentially(text);
  }

  async choose(field: Locator, option: string): Promise<void> {
    await field.click();
    await this.page.getByRole('option', { name: option, exact: true }).click();
  }

  async close(dialog: Locator): Promise<void> {
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
}
