/** The driver's page by keyboard alone, as with a switch or a keyboard in the cab. */
import { expect } from 'chai';
import { KeyboardPerson } from '../../support/browser/keyboard-person.js';
import { createDrivenJob } from '../../support/public-pages/driven-job.js';
import { useDriverPhones } from '../../support/public-pages/driver-phone.js';
import { createRedPng } from '../../support/records/pictures.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const STEPS = [
  'Accept',
  'I am on my way',
  'I am at the vehicle',
  'The vehicle is loaded',
  'I am towing',
  'I am at the drop-off',
];

describe("the driver's page by keyboard alone", function () {
  this.timeout(120_000);
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');
  const { openPhone, openPage } = useDriverPhones(stack);

  async function open() {
    const job = await createDrivenJob(tenant.client);
    const page = await openPage(await openPhone(), job);
    await page.getByRole('heading', { level: 1, name: job.number }).waitFor();
    return { job, page, person: new KeyboardPerson(page) };
  }
  const readWorkOrder = async (id: string) => (await tenant.client.get(`/work-orders/${id}`)).body;

  it('a driver takes each step, writes a note, changes his mind once, and completes the job', async () => {
    const { job, page, person } = await open();
    await person.reach(page.getByRole('button', { name: STEPS[0] as string }));
    for (const [nth, step] of STEPS.entries()) {
      // The focus stays on the button, whose text changes.
      await person.waitForFocus(page.getByRole('button', { name: step, exact: true }));
      await person.press('Enter');
      const name = STEPS[nth + 1] ?? 'Complete';
      await page.getByRole('button', { name, exact: true }).waitFor();
      await person.expectFocusInPage();
      await page.getByRole('button', { name, exact: true, disabled: false }).waitFor();
    }
    await person.tabTo('textbox', 'Note', { isBackwards: true });
    await page.keyboard.type('Keys are in the box');
    await person.activate('button', 'Add note');
    await person.hear('Everything is sent');
    await person.activate('button', 'Complete');
    await person.waitForFocus(page.getByLabel('Loaded miles (optional)'));
    await person.activate('button', 'Not yet');
    await person.waitForFocus(page.getByRole('button', { name: 'Complete', exact: true }));
    await person.press('Enter');
    await person.waitForFocus(page.getByLabel('Loaded miles (optional)'));
    await page.keyboard.type('12.5');
    await person.activate('button', 'Yes, complete the job');
    await page.getByRole('heading', { name: 'This job has ended' }).waitFor();
    const { status, miles, notes } = await readWorkOrder(job.id);
    expect({ status, miles }).to.deep.equal({ status: 'completed', miles: 12.5 });
    expect(notes).to.include('Keys are in the box');
    person.expectFocusWasSeen();
  });

  it('a driver files an inspection with a defect, and is led to what is missing', async () => {
    const { page, person } = await open();
    const item = (name: string) => page.getByRole('group', { name, exact: true });
    await person.reach(page.getByText('Not done in this shift'));
    await person.press('Enter');
    await person.activate('button', 'Save inspection');
    await person.hear('Say whether Brakes is fine.');
    await person.waitForFocus(item('Brakes').getByLabel('OK'));
    await person.tabTo('button', 'All fine', { isBackwards: true });
    await person.press('Enter');
    await person.reach(item('Brakes').getByRole('radio', { checked: true }));
    await person.press('ArrowRight');
    await person.reach(page.getByLabel('Severity: Brakes'));
    await page.keyboard.type('Major');
    await person.activate('button', 'Save inspection');
    await page.getByText('Passed with defects').waitFor();
    await person.waitForFocus(page.getByText('Passed with defects'));
    person.expectFocusWasSeen();
  });

  it('a driver opens the choice of photos by the button that shows the focus, and it stays there', async () => {
    const { page, person } = await open();
    // Wait for the event before the page is used further. The browser then knows long before Enter
    // that Playwright answers the choice.
    const chosen = page.waitForEvent('filechooser');
    await person.reach(page.getByLabel('Add photos'));
    await page.keyboard.press('Enter');
    const chooser = await chosen;
    await chooser.setFiles({ name: 'a.png', mimeType: 'image/png', buffer: createRedPng(480, 120) });
    await page.getByText('1 of 50 photos sent').waitFor();
    await person.waitForFocus(page.getByLabel('Add photos'));
    await person.press('Tab');
    person.expectFocusWasSeen();
  });
});
