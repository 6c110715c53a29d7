/** Where each dialog of the dashboard opens, for the test that lets axe look at all of them. */
import type { Page } from 'playwright-core';

export type Ids = Record<string, string>;

export interface Place {
  path: (ids: Ids) => string;
  tab?: string;
  buttons?: readonly (string | RegExp)[];
}

/** Opens a path of the dashboard, acts, and looks at each dialog after it has opened. */
export interface Steps {
  path: string;
  act: (page: Page, look: () => Promise<void>) => Promise<void>;
}

/**
 * The places, and the names of the buttons there, each of which opens a dialog. A place without
 * buttons is looked at as it is. `tab` is a tab that is not in the URL.
 */
export const PLACES: readonly Place[] = [
  { path: () => 'customers', buttons: ['New customer'] },
  { path: (ids) => `customers/${ids.customer}`, buttons: ['Edit'] },
  { path: (ids) => `customers/${ids.customer}`, tab: 'Statement' },
  {
    path: (ids) => `customers/${ids.customer}`,
    tab: 'Payment methods',
    buttons: ['Autopay', 'Set-up link', 'Remove'],
  },
  { path: (ids) => `invoices/${ids.invoice}`, buttons: ['Edit', 'Approve', 'Cancel invoice'] },
  { path: (ids) => `invoices/${ids.invoice}?tab=payments`, buttons: ['Send evidence'] },
  {
    path: (ids) => `invoices/${ids.paid_invoice}?tab=payments`,
    buttons: ['Refund', 'Record payment', 'Dispute'],
  },
  { path: (ids) => `invoices/${ids.paid_invoice}?tab=claims`, buttons: ['Submit claim', 'Withdraw claim'] },
  {
    path: (ids) => `invoices/${ids.claimed_invoice}?tab=claims`,
    buttons: ["Record the club's decision", 'Correct claim'],
  },
  {
    path: (ids) => `invoices/${ids.short_paid_invoice}?tab=claims`,
    buttons: ["Record the club's decision"],
  },
  { path: (ids) => `invoices/${ids.approved_invoice}?tab=claims`, buttons: ['New claim'] },
  { path: (ids) => `invoices/${ids.sent_invoice}?tab=messages`, buttons: ['Show', 'Retry', 'Revoke link'] },
  { path: (ids) => `invoices/${ids.approved_invoice}`, buttons: ['Send', 'Pay link'] },
  { path: () => 'invoices/new' },
  { path: (ids) => `work-orders/${ids.work_order}`, buttons: ['Assign', 'Cancel', 'Edit'] },
  { path: (ids) => `work-orders/${ids.dispatched}`, buttons: ['Start', 'Unassign', 'Log step'] },
  { path: (ids) => `work-orders/${ids.started}`, buttons: ['Complete'] },
  { path: (ids) => `work-orders/${ids.cancelled_work_order}`, buttons: ['Reopen'] },
  ...['times', 'price', 'invoices', 'claims', 'impound', 'inspections', 'photos', 'texts'].map((tab) => ({
    path: (ids: Ids) => `work-orders/${ids.work_order}?tab=${tab}`,
  })),
  { path: () => 'dispatch', buttons: [/^Accept .*, REF/, /^Refuse .*, REF/] },
  { path: () => 'remittances', buttons: ['Import remittance'] },
  { path: (ids) => `remittances/${ids.remittance}`, buttons: ['Apply', 'Delete', 'Decide on line 1'] },
  { path: (ids) => `approvals/${ids.approval}`, buttons: ['Approve', 'Reject'] },
  { path: (ids) => `suggestions/${ids.suggestion}`, buttons: ['Accept', 'Dismiss'] },
  { path: (ids) => `webhooks/${ids.webhook_endpoint}`, buttons: ['Send test event', 'Roll', 'Recover'] },
  { path: (ids) => `webhooks/${ids.webhook_endpoint}?tab=settings`, buttons: ['Edit', 'Disable', 'Delete'] },
  { path: () => 'webhooks?view=deliveries', buttons: ['Replay many'] },
  { path: (ids) => `webhooks?delivery=${ids.webhook_delivery}`, buttons: ['Cancel delivery'] },
  { path: (ids) => `webhooks?replay=${ids.webhook_replay}`, buttons: ['Cancel replay'] },
  { path: () => 'webhooks', buttons: ['Add endpoint'] },
  { path: () => 'exports', buttons: ['New export'] },
  { path: (ids) => `exports/${ids.export}`, buttons: ['Cancel'] },
  { path: () => 'exports?view=schedules', buttons: ['New schedule'] },
  { path: (ids) => `exports/${ids.export_schedule}?view=schedules`, buttons: ['Edit', 'Delete'] },
  { path: () => 'integrations', buttons: [/^Connect Parrot/, 'Connect Stripe'] },
  { path: (ids) => `integrations/${ids.connection}`, buttons: ['Disconnect'] },
  ...['vehicles', 'drivers'].map((tab) => ({
    path: (ids: Ids) => `integrations/${ids.telematics}?tab=${tab}`,
    buttons: [/^Link /, /^Unlink /],
  })),
  ...['runs', 'calls'].map((tab) => ({ path: (ids: Ids) => `integrations/${ids.connection}?tab=${tab}` })),
  { path: (ids) => `integrations/${ids.connection}?tab=operations`, buttons: ['Replay'] },
  { path: (ids) => `integrations/${ids.connection}?tab=issues`, buttons: ['Resolve'] },
  { path: (ids) => `integrations/${ids.connection}?tab=settings`, buttons: ['Edit settings'] },
  { path: () => 'settings', buttons: ['Remove logo'] },
  { path: () => 'settings?tab=api-keys', buttons: ['Create API key', /^Roll/, /^Revoke/] },
  { path: () => 'settings?tab=agent-keys', buttons: ['Create agent key', /^Roll/, /^Revoke/] },
  { path: () => 'settings?tab=people', buttons: ['Add person', 'Invite person', /^Edit/, /^Deactivate/] },
  { path: () => 'settings?tab=people', buttons: [/^Revoke the invitation/] },
  { path: () => 'settings?tab=texts', buttons: [/^Show text/, /^Retry message/, 'Edit On scene'] },
  {
    path: () => 'settings?tab=security',
    buttons: ['Add authenticator app', /^End the session of/, 'End all other sessions'],
  },
  { path: () => 'settings?tab=trucks', buttons: ['New truck'] },
  {
    path: (ids) => `settings?tab=trucks&truck=${ids.truck}`,
    buttons: ['Edit', 'Set position', 'File inspection', /^Resolve defect/, /^Reopen defect/],
  },
  { path: () => 'settings?tab=drivers', buttons: ['New driver'] },
  { path: (ids) => `settings?tab=drivers&driver=${ids.driver}`, buttons: ['Edit'] },
  { path: () => 'settings?tab=rate-cards', buttons: ['New rate card'] },
  { path: (ids) => `settings?tab=rate-cards&card=${ids.rate_card}`, buttons: ['Supersede'] },
];

/** The dialogs that open only after something was typed or sent. */
export const STEPS: readonly Steps[] = [
  {
    path: 'work-orders/new',
    act: async (page, look) => {
      await look();
      await page.getByRole('dialog').getByLabel('Internal notes').fill('By the river');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Discard this work order?' }).waitFor();
      await look();
    },
  },
  ...['API', 'Agent'].map((kind) => ({
    path: `settings?tab=${kind.toLowerCase()}-keys`,
    act: async (page: Page, look: () => Promise<void>) => {
      await page.getByRole('button', { name: new RegExp(`^Create ${kind} key`, 'i') }).click();
      await page.getByRole('dialog').getByLabel('Name').fill('Accounting');
      if (kind === 'Agent') await page.getByRole('dialog').getByRole('checkbox').first().check();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Create/ })
        .click();
      await page.getByRole('button', { name: 'I stored it' }).waitFor();
      await look();
    },
  })),
  {
    path: 'webhooks',
    act: async (page, look) => {
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByLabel('URL').fill('https://receiver.example.com/hooks');
      await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByRole('dialog', { name: 'Endpoint added' }).waitFor();
      await look();
      await page.getByRole('button', { name: 'I stored it' }).click();
      await page.getByRole('button', { name: 'Roll' }).click();
      await page.getByRole('dialog').getByRole('button', { name: /^Roll/ }).last().click();
      await page.getByRole('dialog', { name: 'New secret' }).waitFor();
      await look();
    },
  },
  {
    path: 'settings?tab=people',
    act: async (page, look) => {
      await page.getByRole('button', { name: 'Invite person' }).click();
      await page.getByLabel('E-mail').fill('robin@example.com');
      await page.getByRole('button', { name: 'Send invitation' }).click();
      await page.getByRole('dialog', { name: /^Pass this link on/ }).waitFor();
      await look();
    },
  },
  {
    path: '',
    act: async (page, look) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await look();
    },
  },
];

/**
 * The shown titles of dialogs whose source has no word of them, by file below dashboard/. Each
 * matches the place, the button and the title, such as
 * `invoices/7?tab=messages Show: Invoice INV-7`.
 */
export const TITLES_WITHOUT_WORDS: Readonly<Record<string, RegExp>> = {
  'parts/factors/add-factor.tsx': /: Add authenticator app$/,
  'parts/work-orders/plain-move-dialog.tsx': /: (Start|Unassign|Reopen) .+\?$/,
  'screens/exports/files/export-actions.tsx': /: Cancel export: /,
  'screens/invoices/actions/action-dialog.tsx': /^invoices.*: (Approve|Cancel|Dispute) INV-/,
  'screens/invoices/tabs/message-content.tsx': /^invoices.*tab=messages Show: Invoice /,
  'screens/settings/keys/key-secret.tsx': /^settings.*: (API|Agent) key Accounting$/,
  'screens/settings/texts/message-text.tsx': /^settings.*tab=texts .*Show text.*: Invoice /,
};

/**
 * The dialogs that need more than this test has, and the tests that let axe look at them. Each
 * calls `findViolationsInDialog` with the title.
 */
export const LOOKED_AT_ELSEWHERE: Readonly<Record<string, string>> = {
  'Your recovery codes': 'test/browser/everywhere/second-factors.test.ts',
  'New recovery codes': 'test/browser/everywhere/second-factors.test.ts',
  'Confirm that it is you': 'test/browser/everywhere/second-factors.test.ts',
  'Your session has ended': 'test/browser/everywhere/dashboard-sign-in.test.ts',
  'Choose accounts': 'test/browser/keyboard/books-by-keyboard.test.ts',
  'Enter earlier invoices': 'test/browser/keyboard/books-by-keyboard.test.ts',
  'Compare months': 'test/browser/keyboard/books-by-keyboard.test.ts',
};
